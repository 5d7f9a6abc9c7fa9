// A run whose programs are circuits or truth tables: an offspring and its parent at any evaluation, and their picture.
import { select } from "d3-selection";
import { Circuits } from "./circuits.js";
import { whole } from "./numbers.js";
import { element } from "./rich.js";
import { Run, acceptances } from "./run.js";
import { Tables } from "./tables.js";

const KINDS = { circuit: Circuits, "truth-table": Tables };

export class ProgramRun extends Run {
  constructor(source, stop, start) {
    super(source, stop);
    this.kind = new KINDS[start.view](start);
    this.captions = ["fitness", start.size];
    this.replayed = {}; // the block whose steps were made last, up to where, and what they led to
  }

  // The parent of the next offspring, and one of this generation that is to take its place, after evaluation `at`.
  after(at, block) {
    if (this.replayed.block !== block || this.replayed.at > at) {
      const [parent, kept] = [this.kind.read(block.parent), block.kept ? this.kind.read(block.kept) : null];
      this.replayed = { block, at: block.after, parent, kept, fitness: block.fitness };
    }
    const now = this.replayed;
    for (; now.at < at; now.at++) {
      const [flags, fitness, , changes] = block.steps[now.at - block.after];
      if (flags & 1) Object.assign(now, { kept: this.kind.changed(now.parent, changes), fitness });
      if (flags & 2) Object.assign(now, { parent: now.kept ?? now.parent, kept: null });
    }
    return { ...now };
  }

  frame(t) {
    const block = this.blocks.get(this.blockOf(t));
    const before = this.after(t === 1 ? 1 : t - 1, block);
    const step = t === 1 ? null : block.steps[t - block.after - 1];
    const [flags, fitness, , changes, words, verdict] = step ?? [1, before.fitness, 0, [], this.start.words, ""];
    const accepted = Boolean(flags & 1);
    const offspring = this.kind.changed(before.parent, changes);
    const now = accepted ? offspring : (before.kept ?? before.parent);
    const { parent } = before;
    return {
      t,
      step,
      accepted,
      words,
      verdict,
      size: this.kind.size(now),
      fitness: accepted ? fitness : before.fitness,
      acceptances: step ? acceptances(block, t) : 0,
      text: () => this.kind.text(now),
      program: { parent, offspring, changes, shown: accepted ? offspring : parent },
      kind: this.kind,
    };
  }
}

// In the place of the tree, with what the panel asks of one.
export class ProgramView {
  constructor(panel, start, { element: area, buttons, svg, canvas }) {
    const find = (name) => panel.querySelector(name);
    this.area = area;
    this.fold = buttons.fold.cloneNode(true); // its own, without the tree's listener
    buttons.fold.replaceWith(this.fold);
    this.fold.addEventListener("click", () => this.toggleFolding());
    for (const name of ["in", "out", "fit"]) buttons[name].hidden = true;
    canvas.remove();
    svg.remove();
    this.svg = select(area).append("svg").attr("class", "program").attr("role", "img");
    area.classList.add("line");
    Object.assign(area, { tabIndex: 0 });
    area.setAttribute("role", "group");
    area.setAttribute("aria-label", "The picture, which can be wider than the window");
    this.isSvg = true;
    this.unfolded = false;
    const signs = element("p");
    signs.className = "signs";
    signs.append(
      ...KINDS[start.view].signs.flatMap(([name, words]) => [Object.assign(element("span"), { className: `sign ${name}` }), ` ${words} `]),
    );
    find(".tree-box").append(signs);
    for (const name of [".strip", ".variables"]) find(name).hidden = true;
    find(".tree-box h3").textContent = find(".as-text summary").textContent = KINDS[start.view].title;
    find(".as-text summary").textContent += " as text";
    find(".numbers .fitness-name").parentNode.nextElementSibling.querySelector("dt").textContent = start.size;
    new ResizeObserver(() => this.frame && this.draw()).observe(area);
  }

  toggleFolding() {
    this.unfolded = !this.unfolded;
    this.fit();
  }

  fit() {
    if (this.frame) this.draw();
  }

  show(frame) {
    this.frame = frame;
    this.draw();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.area;
    if (!width || !height) return;
    const { frame, svg } = this;
    const drawn = frame.kind.draw(svg, frame, { width, height, unfolded: this.unfolded });
    this.fold.hidden = !drawn.canFold;
    this.fold.textContent = this.unfolded ? "Fold" : "Show all";
    this.fold.setAttribute("aria-pressed", String(this.unfolded));
    svg.attr("viewBox", [0, 0, drawn.width, drawn.height]).attr("width", drawn.width).attr("height", drawn.height);
    svg.attr("aria-label", `${drawn.label}. ${frame.words}. ${frame.verdict}`);
  }
}

export const counted = (count, noun) => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
