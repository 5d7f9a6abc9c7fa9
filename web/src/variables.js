// The variables: for ORDER the first occurrence of each, for MAJORITY a bar of deficits. Many variables are thin bars.
import { nameOf, spokenOf } from "./terminals.js";
import { palette } from "./treeview.js";

const MOST_TILES = 60;
const MOST_BARS = 60;

export class Variables {
  constructor(element, problem, n) {
    this.element = element;
    this.problem = problem;
    this.n = n;
    this.list = element.querySelector(".tiles");
    this.canvas = element.querySelector("canvas");
    this.isMany = n > (problem === "order" ? MOST_TILES : MOST_BARS);
    this.list.hidden = this.isMany;
    this.canvas.hidden = !this.isMany;
    this.list.classList.toggle("deficits", problem === "majority");
    new ResizeObserver(() => this.frame && this.draw()).observe(element);
  }

  show(frame) {
    this.frame = frame;
    this.draw();
  }

  draw() {
    const { variables } = this.frame.standing;
    if (this.isMany) this.drawCanvas(variables);
    else if (this.problem === "order") this.list.replaceChildren(...variables.map(tile));
    else this.drawDeficits(variables);
  }

  drawDeficits(variables) {
    const most = Math.max(2, ...variables.map(({ deficit }) => Math.abs(deficit)));
    this.list.replaceChildren(
      ...variables.map((variable) => {
        const { number, deficit, absent, expressed, plain, bar } = variable;
        const item = document.createElement("li");
        const standing = expressed ? "expressed" : absent ? "absent" : "blocking";
        item.className = `deficit ${standing}`;
        const value = element("span", "value", absent ? "∅" : signed(deficit));
        const track = element("span", "track");
        const level = element("span", "level");
        level.style.setProperty("--part", String(Math.abs(deficit) / most));
        level.classList.add(deficit > 0 ? "up" : "down");
        track.append(level);
        const name = element("span", "variable", `x${number}`);
        item.append(value, track, name);
        const words = absent ? "absent" : `${plain} times x${number}, ${bar} times not x${number}, deficit ${deficit}`;
        item.setAttribute("aria-label", `x${number}: ${expressed ? "expressed" : "not expressed"}, ${words}`);
        item.title = item.getAttribute("aria-label");
        return item;
      }),
    );
  }

  drawCanvas(variables) {
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
    const isOrder = this.problem === "order";
    const value = ({ deficit, absent, expressed }) => (absent ? 0 : isOrder ? (expressed ? -1 : 1) : deficit);
    let most = 1;
    for (const variable of variables) most = Math.max(most, Math.abs(value(variable)));
    const middle = height / 2;
    const step = width / variables.length;
    let expressed = 0;
    let absent = 0;
    variables.forEach((variable, place) => {
      if (variable.expressed) expressed++;
      if (variable.absent) absent++;
      // Deficits up: what is above the line is not expressed. A deficit of zero is a short bar below it.
      const tall = variable.absent ? 1 : Math.max(3, (Math.abs(value(variable)) / most) * (middle - 2));
      context.fillStyle = variable.expressed ? colours.expressed : variable.absent ? colours.hidden : colours.blocking;
      context.fillRect(place * step, variable.expressed ? middle : middle - tall, Math.max(0.6, step * 0.8), tall);
    });
    context.fillStyle = colours.text;
    context.fillRect(0, middle - 0.5, width, 1);
    const blocked = variables.length - expressed - absent;
    canvas.setAttribute("aria-label", `${variables.length} variables: ${expressed} expressed, ${blocked} blocked, ${absent} absent`);
  }
}

function tile({ number, absent, expressed }) {
  const item = document.createElement("li");
  item.className = `tile ${expressed ? "expressed" : absent ? "absent" : "blocking"}`;
  const code = 2 * (number - 1) + (expressed || absent ? 0 : 1);
  item.textContent = absent ? `∅${number}` : nameOf(code);
  const words = absent ? "absent" : `first is ${spokenOf(code)}, ${expressed ? "expressed" : "blocked"}`;
  item.setAttribute("aria-label", `x${number}: ${words}`);
  item.title = item.getAttribute("aria-label");
  return item;
}

const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0");

function element(kind, className, text = "") {
  const made = document.createElement(kind);
  made.className = className;
  made.textContent = text;
  return made;
}
