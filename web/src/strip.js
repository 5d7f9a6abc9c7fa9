// The leaves from left to right, each as it stands. Many leaves are marks on a canvas, with a lane for each standing.
import { isReal, realCode } from "./picture.js";
import { isBar } from "./terminals.js";
import { change, changeSign, palette } from "./treeview.js";

const MOST_CELLS = 160;
const LANE = 17;
const TOP = 14;
const LABEL = 70;

export class Strip {
  constructor(element) {
    this.element = element;
    this.cells = element.querySelector(".cells");
    this.canvas = element.querySelector("canvas");
    new ResizeObserver(() => this.frame && this.draw()).observe(element);
  }

  show(frame) {
    this.frame = frame;
    this.draw();
  }

  draw() {
    const { drawn } = this.frame;
    const isMany = drawn.length > MOST_CELLS;
    this.cells.hidden = isMany;
    this.canvas.hidden = !isMany;
    if (isMany) this.drawBars(drawn);
    else this.cells.replaceChildren(...drawn.map((leaf) => this.cell(leaf)));
  }

  cell(leaf) {
    const { accepted, standings, terminals } = this.frame;
    const cell = document.createElement("li");
    const code = realCode(leaf, accepted);
    const real = isReal(leaf, accepted);
    const standing = real ? standings.get(leaf.id) : "none";
    cell.className = `cell ${standing} ${isBar(code) ? "bar" : "plain"} ${change(leaf)} ${accepted ? "accepted" : "rejected"}`;
    const index = document.createElement("sub");
    const [sign, below] = terminals.parts(code);
    index.textContent = below;
    cell.append(sign, index);
    cell.dataset.sign = changeSign(leaf, terminals);
    cell.setAttribute("aria-label", `${terminals.spoken(code)}, ${real ? standing : accepted ? "gone" : "not added"}`.replace(/, $/, ""));
    return cell;
  }

  drawBars(drawn) {
    const { canvas } = this;
    const { accepted, standings, touched } = this.frame;
    const lanes = this.frame.lanes.length ? this.frame.lanes : [""];
    const least = lanes[lanes.length - 1];
    const ratio = window.devicePixelRatio || 1;
    const width = this.element.clientWidth;
    const height = TOP + lanes.length * LANE;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const colours = palette(this.element);
    const step = (width - LABEL) / drawn.length;
    const counts = Object.fromEntries(lanes.map((name) => [name, 0]));
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    lanes.forEach((name, lane) => {
      context.fillStyle = colours.text;
      context.fillText(name || "leaves", 0, TOP + (lane + 0.5) * LANE);
    });
    drawn.forEach((leaf, place) => {
      const standing = isReal(leaf, accepted) ? (standings.get(leaf.id) ?? least) : least;
      counts[standing]++;
      const x = LABEL + place * step;
      context.fillStyle = colours[standing] ?? colours.hidden;
      context.fillRect(x, TOP + lanes.indexOf(standing) * LANE + 2, Math.max(0.5, step * 0.8), LANE - 4);
      if (touched.has(leaf.id)) {
        context.fillStyle = accepted ? colours.accepted : colours.rejected;
        context.beginPath();
        context.moveTo(x + step / 2, TOP);
        context.lineTo(x + step / 2 - 6, 2);
        context.lineTo(x + step / 2 + 6, 2);
        context.fill();
      }
    });
    const told = this.frame.lanes.map((name) => `${counts[name]} ${name}`).join(", ");
    canvas.setAttribute("aria-label", `${drawn.length} leaves in order${told && ": "}${told}`);
  }
}
