// Many runs of the setting: one request for each n and algorithm, pictures and a table as the runs end, then the law.
// What the runs say comes from the server: nothing is estimated here.
import { select } from "d3-selection";
import { DEFAULTS, beside, wordsOf } from "./address.js";
import { whole } from "./numbers.js";
import { drawDistribution, drawGrowth, drawShares, nameOf, names } from "./plots.js";
import { drawBudgets, drawTargets } from "./profiles.js";
import { element as richElement, rich } from "./rich.js";
import { asked, lines } from "./source.js";

const COLUMNS = 10;
const FEW = "3,4,5,6,8,10"; // circuits and truth tables have 2^n rows

export class Many {
  constructor(root, { getState, getKind, onChange }) {
    this.getState = getState;
    this.getKind = getKind;
    this.onChange = onChange;
    const find = (name) => root.querySelector(name);
    this.form = find("#many-form");
    this.status = find("#many-status");
    this.which = find("#many-which");
    this.body = find("#many-table tbody");
    this.guides = find("#many-guides");
    this.go = find("#many-go");
    this.lawList = find("#many-laws");
    this.pictures = ["growth", "distribution", "shares", "targets", "budgets", "solved"].map((name) => {
      const element = find(`#many-${name}`);
      const svg = select(element).append("svg").attr("role", "img").attr("aria-label", "Nothing yet");
      return { svg, element };
    });
    this.results = new Map(); // "n algorithm" -> { n, algorithm, runs: [[outcome, evaluations]…], cell, error, isDone, isWhole }
    this.laws = new Map(); // algorithm -> what the server says of it
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.stop) this.halt();
      else this.runAll();
    });
    const more = find("#many-more");
    const add = () => {
      const n = more.value.trim() || more.placeholder;
      const { ns } = this.form.elements;
      if (!ns.value.split(/[\s,]+/).includes(n)) ns.value = `${ns.value.replace(/[\s,]+$/, "")},${n}`;
      more.value = "";
      this.wanted = n;
      this.runAll();
    };
    find("#many-add").addEventListener("click", add);
    more.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        add();
      }
    });
    this.which.addEventListener("change", () => {
      this.wanted = this.which.value;
      this.draw();
    });
    this.guides.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(find(".many-plots"));
  }

  show(state) {
    this.form.elements.ns.value = state.ns === DEFAULTS.ns && this.getKind() !== "tree" ? FEW : state.ns;
    this.form.elements.runs.value = state.runs;
    const key = JSON.stringify([wordsOf({ ...state, n: "" }), state.versus, state.runs]);
    if (key !== this.key) {
      this.halt();
      this.results.clear();
      this.laws.clear();
      this.drawLaws();
      this.draw();
    }
    const isNew = key !== this.key;
    this.key = key;
    if (state.tab === "many" && !this.results.size && (isNew || !this.hasBegun)) {
      this.hasBegun = true; // once for each setting: who stops it need not stop it again
      this.runAll();
    } else if (isNew) this.hasBegun = false;
  }

  halt() {
    this.stop?.abort();
    this.stop = null;
    this.go.textContent = "Run";
  }

  async runAll() {
    this.halt();
    const { ns, runs } = this.form.elements;
    this.onChange({ ns: ns.value.trim(), runs: runs.value.trim() });
    const state = this.getState();
    const stop = (this.stop = new AbortController());
    this.go.textContent = "Stop";
    const algorithms = [...new Set([state.algorithm, state.versus].filter(Boolean))];
    const wanted = state.ns.split(/[\s,]+/).filter(Boolean);
    for (const [key, result] of this.results) if (!result.isDone) this.results.delete(key);
    for (const n of wanted) {
      for (const algorithm of algorithms) {
        if (this.results.has(`${n} ${algorithm}`)) continue;
        await this.runOne(state, n, algorithm, stop);
        if (stop.signal.aborted) return;
        await this.findLaw(state, algorithm, stop);
        if (stop.signal.aborted) return;
      }
    }
    this.halt();
    this.status.textContent = `Done: ${[...this.results.values()].reduce((sum, one) => sum + one.runs.length, 0)} runs.`;
  }

  async runOne(state, n, algorithm, stop) {
    const result = { n, algorithm, runs: [], cell: null, error: null, isDone: false, isWhole: false };
    this.results.set(`${n} ${algorithm}`, result);
    const words = { ...wordsOf({ ...settingOf(state, algorithm), n }), runs: state.runs };
    let lastDrawn = 0;
    try {
      for await (const piece of lines("/api/many", words, stop.signal)) {
        if (piece.name) names.set(algorithm, piece.name);
        if (piece.wait) this.status.textContent = piece.wait;
        if (piece.runs) result.runs.push(...piece.runs);
        if (piece.cell) result.cell = piece.cell;
        if (piece.profile) result.profile = piece.profile;
        if (piece.end) Object.assign(result, { isDone: true, isWhole: piece.end === "done" });
        if (piece.words) this.status.textContent = piece.words;
        if (performance.now() - lastDrawn > 120 || piece.end) {
          lastDrawn = performance.now();
          if (!piece.words) this.status.textContent = `${nameOf(algorithm)}, n = ${n}: ${result.runs.length} of ${state.runs} runs`;
          this.draw();
        }
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      result.error = error.message;
      this.status.textContent = error.message;
      this.draw();
    }
  }

  // Of the sizes whose runs have all ended.
  async findLaw(state, algorithm, stop) {
    const done = [...this.results.values()].filter((result) => result.algorithm === algorithm && result.isWhole);
    if (!done.length) return;
    const { n: _, ...words } = wordsOf(settingOf(state, algorithm));
    try {
      const law = await asked("/api/law", { ...words, ns: done.map(({ n }) => n).join(), runs: state.runs }, stop.signal);
      this.laws.set(algorithm, law);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.laws.set(algorithm, { words: error.message, more: [], line: [], name: "" });
    }
    this.drawLaws();
    this.draw();
  }

  draw() {
    const rows = [...this.results.values()].map((result) => ({ ...result, n: Number(result.n), asked: result.n }));
    rows.sort((a, b) => a.n - b.n || a.algorithm.localeCompare(b.algorithm));
    const algorithms = [...new Set(rows.map((row) => row.algorithm))].sort();
    this.drawTable(rows);
    const ns = [...new Set(rows.filter((row) => row.runs.length).map((row) => row.asked))];
    const chosen = ns.includes(this.wanted) ? this.wanted : ns[ns.length - 1];
    if (ns.join() !== [...this.which.options].map((option) => option.value).join()) {
      this.which.replaceChildren(...ns.map((n) => new Option(n, n)));
    }
    if (chosen) this.which.value = chosen;
    const [growth, distribution, shares, targets, budgets, solved] = this.pictures;
    const profiled = rows.filter((row) => row.asked === chosen && row.profile);
    describe(targets, drawTargets(targets.svg, profiled, algorithms));
    describe(budgets, drawBudgets(budgets.svg, profiled, algorithms, 1, "fitness"));
    describe(solved, drawBudgets(solved.svg, profiled, algorithms, 2, "share of targets reached"));
    describe(growth, drawGrowth(growth.svg, rows, algorithms, this.laws, this.guides.checked));
    describe(distribution, drawDistribution(distribution.svg, rows.filter((row) => row.asked === chosen), algorithms));
    describe(shares, drawShares(shares.svg, rows, algorithms));
  }

  drawTable(rows) {
    this.body.replaceChildren(
      ...rows.map((row) => {
        const line = element("tr");
        const cell = (text, interval = "", span = 1) => {
          const made = Object.assign(element("td", text), { colSpan: span });
          if (interval) made.append(" ", element("span", interval, "interval"));
          line.append(made);
        };
        cell(row.error ? row.asked : whole(row.n));
        cell(nameOf(row.algorithm));
        if (row.error) {
          cell(row.error, "", COLUMNS - 2);
          return line;
        }
        cell(whole(row.runs.length));
        cell(whole(row.runs.filter(([outcome]) => outcome === "optimum").length));
        if (!row.cell) {
          cell("…", "", COLUMNS - 4);
          return line;
        }
        const { stuck, budget, mean, given_optimum: given, median, most } = row.cell;
        for (const share of [stuck, budget]) cell(share.text, share.value ? share.interval : "");
        cell(mean.text, mean.interval);
        if (mean.value === null) cell(given.text, given.interval);
        else cell("");
        cell(median.text, median.interval);
        cell(most.short, most.interval);
        return line;
      }),
    );
  }

  // Not with the rest: what the reader has opened stays open.
  drawLaws() {
    const known = [...this.laws.keys()].sort();
    this.lawList.hidden = !known.length;
    this.lawList.querySelector("dl").replaceChildren(
      ...known.flatMap((algorithm) => {
        const { words, more } = this.laws.get(algorithm);
        const said = element("dd");
        said.append(...rich(words));
        if (more.length > 1) {
          const list = element("ul");
          list.append(...more.map((sentence) => richElement("li", ...rich(sentence))));
          const details = element("details");
          details.append(element("summary", "How sure is that?"), list);
          said.append(details);
        }
        return [element("dt", nameOf(algorithm)), said];
      }),
    );
  }
}

const settingOf = (state, algorithm) => (algorithm === state.algorithm ? state : beside(state));

const element = (kind, text = "", className = "") => Object.assign(document.createElement(kind), { textContent: text, className });

function describe({ element: picture }, { entries, note }) {
  const [above, below] = ["entries", "note"].map((name) => picture.parentNode.querySelector(`.${name}`));
  above.replaceChildren(...entries.map(({ place, text }) => element("li", `${"●■"[place]} ${text}`, `name-${place}`)));
  below.textContent = note;
}
