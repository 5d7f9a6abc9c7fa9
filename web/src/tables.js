// Truth tables: a byte for each row, drawn as a grid of rows that are right or wrong. The number of a row has its low bits
// along a line of the grid and its high bits down. Of many rows a cell is a group, paler the fewer of them are wrong.
import { brief, whole } from "./numbers.js";

const MOST_BITS = 12; // of the number of cells
const LARGEST = 56;

export class Tables {
  static title = "Truth table";

  static signs = [
    ["right", "right"],
    ["wrong", "wrong"],
    ["unseen", "not in the sample"],
    ["block", "set, accepted"],
    ["refused", "rejected"],
  ];

  constructor({ inputs, wanted, judged }) {
    this.inputs = inputs;
    this.rows = 2 ** inputs.length;
    this.wanted = this.read(wanted);
    this.judged = this.read(judged);
  }

  read(text) {
    const bytes = atob(text);
    return Uint8Array.from({ length: this.rows }, (_, row) => (bytes.charCodeAt(row >> 3) >> (row & 7)) & 1);
  }

  // The rows of a block: its free variables take all values.
  *block([variables, values]) {
    const free = (this.rows - 1) & ~variables;
    let part = 0;
    do {
      yield values | part;
      part = (part - free) & free;
    } while (part);
  }

  changed(rows, changes) {
    if (!changes.length) return rows;
    const copy = rows.slice();
    for (const row of this.block(changes)) copy[row] = changes[2];
    return copy;
  }

  size(rows) {
    return rows.reduce((sum, value) => sum + value, 0);
  }

  text(rows) {
    return rows.length <= 4096 ? rows.join("") : `${whole(rows.length)} rows: too many to write`;
  }

  draw(svg, { accepted, program }, { width, height }) {
    const bits = Math.min(this.inputs.length, MOST_BITS);
    const shift = this.inputs.length - bits;
    const columns = 2 ** Math.ceil(bits / 2);
    const lines = 2 ** bits / columns;
    const side = Math.min(LARGEST, (width - 16) / columns, (height - 16) / lines);
    const [left, top] = [(width - side * columns) / 2, (height - side * lines) / 2];
    const cells = Array.from({ length: 2 ** bits }, () => ({ wrong: 0, judged: 0 }));
    const { shown, changes } = program;
    let wrong = 0;
    for (let row = 0; row < this.rows; row++) {
      const cell = cells[row >> shift];
      if (!this.judged[row]) continue;
      cell.judged++;
      if (shown[row] !== this.wanted[row]) {
        cell.wrong++;
        wrong++;
      }
    }
    const touched = new Set();
    if (changes.length) for (const row of this.block(changes)) touched.add(row >> shift);
    const gap = side > 8 ? 1.5 : 0;
    svg.selectAll("*").remove();
    cells.forEach((cell, place) => {
      const [x, y] = [left + side * (place % columns), top + side * Math.floor(place / columns)];
      const kind = cell.wrong ? "wrong" : cell.judged ? "right" : "unseen";
      const box = (name) => svg.append("rect").attr("class", name).attr("x", x + gap).attr("y", y + gap).attr("width", side - 2 * gap).attr("height", side - 2 * gap);
      box(`row ${cell.judged ? "right" : "unseen"}`).append("title").text(this.title(place, shift, shown, cell));
      if (cell.wrong) box(`row ${kind}`).attr("fill-opacity", 0.35 + 0.65 * (cell.wrong / cell.judged)).attr("pointer-events", "none");
      if (side >= 16 && !shift) {
        svg.append("text").attr("class", `value ${kind}`).attr("x", x + side / 2).attr("y", y + side / 2).attr("dy", "0.35em").attr("font-size", Math.min(15, side * 0.5)).text(shown[place]);
      }
    });
    const room = side > 8 ? -3 : Math.max(0, 3 - side / 2);
    const frames = [...touched].map((place) => {
      const [x, y] = [left + side * (place % columns), top + side * Math.floor(place / columns)];
      const length = side + 2 * room;
      return `M${x - room},${y - room}h${length}v${length}h${-length}Z`;
    });
    for (const name of ["set ground", `set ${accepted ? "accepted" : "rejected"}`]) {
      if (frames.length) svg.append("path").attr("class", name).attr("d", frames.join(""));
    }
    const group = shift ? `, each cell ${whole(2 ** shift)} rows` : "";
    return { width, height, canFold: false, label: `Truth table of ${whole(this.rows)} rows${group}: ${brief(wrong)} wrong` };
  }

  title(place, shift, shown, { wrong, judged }) {
    if (shift) return `rows ${whole(place << shift)} to ${whole(((place + 1) << shift) - 1)}: ${wrong} of ${judged} wrong`;
    const values = this.inputs.map((name, i) => `${name} = ${(place >> i) & 1}`).join(", ");
    return `${values}: ${shown[place] ? "true" : "false"}, ${judged ? (wrong ? "wrong" : "right") : "not in the sample"}`;
  }
}
