// Words from the server or the file, as nodes: x_i, x3 and T_max get a subscript, 2^k and 2^(i−1) a superscript, `…` is a
// command. Nothing in them is markup.
const PARTS = /`([^`]+)`|\b([A-Za-z]\u0304?)_(\w+)|(?<![\w.])(x\u0304?)(\d+)\b|\^(?:\(([^()]+)\)|([\w−-]+(?:\.\d+)?))/g;

export function rich(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, command, letter, below, variable, number, inBrackets, above] = match;
    nodes.push(text.slice(from, match.index));
    from = match.index + whole.length;
    if (command) nodes.push(element("code", command));
    else if (letter ?? variable) nodes.push(letter ?? variable, element("sub", below ?? number));
    else nodes.push(element("sup", inBrackets ?? above));
  }
  nodes.push(text.slice(from));
  return nodes;
}

export function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}
