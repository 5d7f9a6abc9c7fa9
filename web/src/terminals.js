// Terminals by their code: 0 is x1, 1 is x̄1, 2 is x2, … as in the model; or by names of their own, of which the first has
// the code 0, the next 2.
export class Terminals {
  constructor(names = []) {
    this.names = names;
  }

  // The sign and the index below it; a name of its own has no index.
  parts(code) {
    if (this.names.length) return [this.names[code >> 1], ""];
    return [isBar(code) ? "x\u0304" : "x", String((code >> 1) + 1)];
  }

  name(code) {
    return this.parts(code).join("");
  }

  // For screen readers, which pass over the bar.
  spoken(code) {
    return isBar(code) ? `not x${(code >> 1) + 1}` : this.name(code);
  }

  // As the model writes it.
  text(code) {
    return isBar(code) ? `!x${(code >> 1) + 1}` : this.name(code);
  }

  // The code of a terminal as the model writes it.
  code(text) {
    if (this.names.length) return 2 * this.names.indexOf(text);
    return text.startsWith("!") ? 2 * Number(text.slice(2)) - 1 : 2 * Number(text.slice(1)) - 2;
  }

  // Characters of the longest index, or of the longest name less the letter that goes before an index.
  longest(variables) {
    if (!this.names.length) return String(variables).length;
    return Math.max(1, ...this.names.map((name) => name.length - 1));
  }
}

export const isBar = (code) => (code & 1) === 1;
