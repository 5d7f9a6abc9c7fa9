// The leaves from left to right: expressed, hidden behind an earlier one, blocking. Many leaves are bars on a canvas.
import { BLOCKING, EXPRESSED, HIDDEN } from "./standing.js";
import { isReal, realCode } from "./picture.js";
import { isBar, signOf, spokenOf, variableOf } from "./terminals.js";
import { change, changeSign, palette } from "./treeview.js";

const MOST_CELLS = 160;
const HEIGHTS = { [EXPRESSED]: 1, [BLOCKING]: 0.62, [HIDDEN]: 0.28 };

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
    const { accepted, standings } = this.frame;
    const cell = document.createElement("li");
    const code = realCode(leaf, accepted);
    const real = isReal(leaf, accepted);
    const standing = real ? standings.get(leaf.id) : "none";
    cell.className = `cell ${standing} ${isBar(code) ? "bar" : "plain"} ${change(leaf)} ${accepted ? "accepted" : "rejected"}`;
    const index = document.createElement("sub");
    index.textContent = String(variableOf(code));
    cell.append(signOf(code), index);
    cell.dataset.sign = changeSign(leaf);
    cell.setAttribute("aria-label", `${spokenOf(code)}, ${real ? standing : accepted ? "gone" : "not added"}`);
    return cell;
  }

  drawBars(drawn) {
    const { canvas } = this;
    const { accepted, standings, touched } = this.frame;
    const ratio = window.devicePixelRatio || 1;
    const width = this.element.clientWidth;
    const height = 54;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const colours = palette(this.element);
    const step = width / drawn.length;
    const counts = { [EXPRESSED]: 0, [BLOCKING]: 0, [HIDDEN]: 0 };
    drawn.forEach((leaf, place) => {
      const standing = isReal(leaf, accepted) ? standings.get(leaf.id) : HIDDEN;
      counts[standing]++;
      const tall = HEIGHTS[standing] * (height - 14);
      context.fillStyle = colours[standing];
      context.fillRect(place * step, height - tall, Math.max(0.6, step * 0.8), tall);
      if (touched.has(leaf.id)) {
        context.fillStyle = accepted ? colours.accepted : colours.rejected;
        context.beginPath();
        context.moveTo(place * step + step / 2, 12);
        context.lineTo(place * step + step / 2 - 6, 1);
        context.lineTo(place * step + step / 2 + 6, 1);
        context.fill();
      }
    });
    canvas.setAttribute(
      "aria-label",
      `${drawn.length} leaves in order: ${counts[EXPRESSED]} expressed, ${counts[BLOCKING]} blocking, ${counts[HIDDEN]} hidden`,
    );
  }
}
