// The panel of variables, as the server says: tiles, or bars that go up and down. Many variables are thin bars on a canvas.
import { palette } from "./treeview.js";

export class Variables {
  constructor(element, shape) {
    this.element = element;
    this.shape = shape;
    this.list = element.querySelector(".tiles");
    this.canvas = element.querySelector("canvas");
    this.list.classList.toggle("bars", shape === "bars");
    new ResizeObserver(() => this.frame && this.draw()).observe(element);
  }

  show(frame) {
    this.frame = frame;
    this.draw();
  }

  draw() {
    const { rows } = this.frame;
    const isMany = rows.some(({ text }) => text === undefined); // of many the server tells no words
    this.list.hidden = isMany;
    this.canvas.hidden = !isMany;
    if (isMany) this.drawCanvas(rows);
    else if (this.shape === "bars") this.drawBars(rows);
    else this.list.replaceChildren(...rows.map(tile));
  }

  drawBars(rows) {
    const most = Math.max(2, ...rows.map(({ up, down }) => Math.max(up, down)));
    this.list.replaceChildren(
      ...rows.map((row, place) => {
        const item = named("measure", row);
        const track = element("span", "track");
        if (row.up > 0) track.append(level("up", row.up / most));
        if (row.down > 0 || row.up === 0) track.append(level("down", row.down / most));
        item.append(element("span", "value", row.text), track, element("span", "variable", `x${place + 1}`));
        return item;
      }),
    );
  }

  drawCanvas(rows) {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = this.element.clientWidth;
    const height = 84;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const colours = palette(this.element);
    const most = rows.reduce((largest, { up, down }) => Math.max(largest, up, down), 1);
    const middle = height / 2;
    const step = width / rows.length;
    const thick = Math.max(0.6, step * 0.8);
    const tall = (value) => Math.max(3, (value / most) * (middle - 2));
    const counts = { expressed: 0, blocking: 0, absent: 0 };
    rows.forEach(({ standing, up, down }, place) => {
      counts[standing]++;
      context.fillStyle = colours[standing] ?? colours.hidden;
      if (standing === "absent") {
        context.fillRect(place * step, middle - 1, thick, 1);
        return;
      }
      if (up > 0) context.fillRect(place * step, middle - tall(up), thick, tall(up));
      if (down > 0 || up === 0) context.fillRect(place * step, middle, thick, tall(down)); // zero is a short bar
    });
    context.fillStyle = colours.text;
    context.fillRect(0, middle - 0.5, width, 1);
    const { expressed, blocking, absent } = counts;
    canvas.setAttribute("aria-label", `${rows.length} variables: ${expressed} expressed, ${blocking} blocked, ${absent} absent`);
  }
}

function tile(row) {
  const item = named("tile", row);
  item.textContent = row.text;
  return item;
}

function named(kind, { standing, words }) {
  const item = element("li", `${kind} ${standing}`);
  item.setAttribute("aria-label", words);
  item.title = words;
  return item;
}

function level(side, part) {
  const made = element("span", `level ${side}`);
  made.style.setProperty("--part", String(part));
  return made;
}

function element(kind, className, text = "") {
  const made = document.createElement(kind);
  made.className = className;
  made.textContent = text;
  return made;
}
