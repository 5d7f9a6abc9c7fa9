// Words from the server or the file, as nodes: x_i gets a subscript, `…` is a command. Nothing in them is markup.
const PARTS = /`([^`]+)`|(x\u0304?|T|n)_(\w+)/g;

export function rich(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(PARTS)) {
    nodes.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    nodes.push(...(match[1] ? [element("code", match[1])] : [match[2], element("sub", match[3])]));
  }
  nodes.push(text.slice(from));
  return nodes;
}

export function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}
