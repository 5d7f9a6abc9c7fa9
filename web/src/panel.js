// One run on the page: words, tree, leaves, variables, course; of several trees the population, and one of them as a tree.
import { Course } from "./course.js";
import { whole } from "./numbers.js";
import { drawnLeaves, isReal } from "./picture.js";
import { PopulationRun, PopulationView } from "./population.js";
import { ProgramRun, ProgramView } from "./programs.js";
import { Run } from "./run.js";
import { rich } from "./rich.js";
import { explained } from "./source.js";
import { Strip } from "./strip.js";
import { TreeView } from "./treeview.js";
import { Variables } from "./variables.js";

const DRAGGING = 40; // milliseconds to stay at a place before its steps are asked for
const OUTCOMES = { optimum: "★ optimum", stuck: "⊘ stuck", budget: "◷ budget" };

export class Panel {
  constructor(template, source, { onSeek, onLog, onChange, onWhy, isSecret }) {
    this.element = document.importNode(template.content.firstElementChild, true);
    const find = (name) => this.element.querySelector(name);
    this.title = find(".title");
    this.badge = find(".badge");
    this.badge.addEventListener("click", () => this.tellEnd());
    this.isEndKnown = false; // told once the reader has been there
    this.isSecret = isSecret; // a question is open, and the end may be its answer
    find(".why").addEventListener("click", onWhy);
    this.proof = find(".proof");
    this.telling = find(".telling");
    this.verdict = find(".verdict");
    this.operation = find(".operation");
    this.numbers = find(".numbers");
    this.treeText = find(".tree-text");
    this.treeBox = find(".tree-box");
    this.treeTitle = find(".tree-box h3");
    this.tree = new TreeView(find(".tree-area"), {
      in: find(".zoom-in"),
      out: find(".zoom-out"),
      fit: find(".zoom-fit"),
      fold: find(".fold"),
    });
    this.strip = new Strip(find(".strip"));
    this.variablesElement = find(".variables");
    this.variables = null;
    this.course = new Course(find(".course-area"), { onSeek });
    this.logBox = find(".log-box");
    this.logBox.addEventListener("change", () => onLog(this.logBox.checked));
    this.onChange = onChange;
    this.source = source;
    this.stop = new AbortController();
    this.run = new Run(source, this.stop);
    this.shown = null;
  }

  close() {
    this.stop.abort();
    this.wanted?.abort();
    this.element.remove();
  }

  async load() {
    try {
      for await (const piece of this.source.course(this.stop.signal)) {
        if (piece.start?.view === "population") this.run = new PopulationRun();
        else if (piece.start?.view) this.run = new ProgramRun(this.source, this.stop, piece.start);
        this.run.take(piece);
        this.onData();
      }
    } catch (error) {
      if (error.name !== "AbortError") this.fail(error);
    }
  }

  fail(error) {
    this.element.classList.add("failed");
    this.verdict.className = "verdict error";
    this.verdict.textContent = explained(error);
    this.operation.textContent = "This cannot be shown";
  }

  onData() {
    const { run } = this;
    if (run.waiting) this.say(run.waiting);
    if (!run.start) return;
    if (!this.variables) {
      this.title.textContent = run.start.name;
      this.element.setAttribute("aria-label", run.start.name);
      this.variables = new Variables(this.variablesElement, run.start.shape);
      if (run instanceof PopulationRun) this.population = new PopulationView(this.element, run, () => this.showFrame(run.frame(this.shown.t)));
      if (run instanceof ProgramRun) this.tree = new ProgramView(this.element, run.start, this.tree);
      this.variablesElement.hidden = !run.start.title;
      this.element.querySelector(".variables-title").replaceChildren(...rich(run.start.title));
      if (run.start.is_smaller_better) this.element.querySelector(".fitness-name").textContent += ", smaller is better";
    }
    this.showBadge();
    this.onChange();
  }

  // How the run ends is not told before the end, unless the reader asks.
  showBadge() {
    const { end, upto } = this.run;
    const isTold = end && this.isEndKnown;
    this.badge.textContent = isTold ? OUTCOMES[end.outcome] : end ? "how does it end?" : `computing … ${whole(upto)}`;
    this.badge.className = `badge ${isTold ? end.outcome : end ? "untold" : "computing"}`;
    this.badge.title = isTold ? end.words : end ? "Show how this run ends" : "";
    this.badge.disabled = !end || isTold;
  }

  tellEnd() {
    this.isEndKnown = true;
    this.showBadge();
    this.proof.textContent = this.run.end?.proof ?? "";
    this.proof.hidden = !this.proof.textContent;
  }

  setLog(isLog) {
    this.logBox.checked = isLog;
    this.course.setLog(isLog);
  }

  say(text) {
    this.operation.textContent = text;
  }

  drawCourse(most, other) {
    if (this.run.points.length) this.course.show(this.run, most, other?.run);
  }

  // Shows evaluation t: at once if its steps are here, and otherwise when they have come and it is still wanted.
  async show(t) {
    const { run } = this;
    if (!run.start) return;
    const at = run.clamp(t);
    this.course.place(at);
    this.wanted?.abort();
    this.wanted = null;
    if (!run.has(at)) {
      this.showPoint(at, "The steps around here are not in this file; the course is.");
      return;
    }
    if (!run.isHere(at)) {
      this.element.classList.add("loading");
      const wanted = (this.wanted = new AbortController());
      try {
        await new Promise((resolve) => setTimeout(resolve, DRAGGING));
        if (wanted.signal.aborted) return;
        run.giveUpAllBut(run.blockOf(at));
        await run.block(run.blockOf(at));
      } catch (error) {
        if (error.name !== "AbortError") this.showPoint(at, explained(error));
        return;
      }
      if (wanted.signal.aborted) return;
    }
    this.element.classList.remove("loading");
    this.showFrame(run.frame(at));
    run.prefetch(at + 200);
    if (at > 60) run.prefetch(at - 60);
  }

  showFrame(frame) {
    const { run } = this;
    this.shown = frame;
    this.treeBox.classList.remove("absent");
    const isEnd = run.end && frame.t === run.end.evaluations;
    const isTold = isEnd && !this.isSecret();
    const verdict = frame.step ? frame.verdict : frame.words;
    this.operation.replaceChildren(...rich(frame.step ? frame.words : ""));
    this.verdict.replaceChildren(...rich(isTold ? `${verdict}${frame.step ? "." : ";"} ${run.end.words}` : verdict));
    if (isTold) this.tellEnd();
    this.verdict.className = `verdict ${frame.step ? (frame.accepted ? "accepted" : "rejected") : "start"}`;
    if (frame.picture !== undefined) this.showLeaves(frame);
    this.setNumbers(frame.numbers ?? run.numbers(frame.t, frame.fitness, frame.size, frame.acceptances));
    if (frame.title) this.treeTitle.textContent = frame.title;
    this.tree.show(frame);
    this.population?.show(frame);
    this.treeText.textContent = frame.size <= 400 ? frame.text() : `${whole(frame.size)} ${run.captions[1]}: too many to write`;
    this.element.dataset.at = String(frame.t);
  }

  // What only trees have.
  showLeaves(frame) {
    frame.drawn = drawnLeaves(frame.picture);
    frame.size = frame.drawn.filter((leaf) => isReal(leaf, frame.accepted)).length;
    this.strip.show(frame);
    if (this.run.start.title) this.variables.show(frame);
  }

  showPoint(at, words) {
    const point = this.run.pointAt(at);
    this.treeBox.classList.add("absent");
    this.operation.textContent = "";
    this.verdict.className = "verdict";
    this.verdict.textContent = words;
    if (point) this.setNumbers(this.run.numbers(at, point[1], point[2]));
    this.element.dataset.at = String(at);
  }

  setNumbers(values) {
    this.numbers.querySelectorAll("dd").forEach((cell, i) => (cell.textContent = values[i]));
  }
}
