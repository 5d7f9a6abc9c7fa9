// Many runs of the setting: the distribution for one n, the mean against n, and a table, as the runs end.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";
import { wordsOf } from "./address.js";
import { brief, rounded, whole } from "./numbers.js";
import { lines } from "./source.js";

const NAMES = {
  "gp-single": "GP-single",
  "gp-multi": "GP-multi",
  "gpstar-single": "GP*-single",
  "gpstar-multi": "GP*-multi",
};
const MARGIN = { top: 12, right: 16, bottom: 34, left: 54 };
const HEIGHT = 300;
const BINS = 24;

export class Many {
  constructor(root, { getState, onChange }) {
    this.getState = getState;
    this.onChange = onChange;
    const find = (name) => root.querySelector(name);
    this.form = find("#many-form");
    this.status = find("#many-status");
    this.which = find("#many-which");
    this.body = find("#many-table tbody");
    this.guides = find("#many-guides");
    this.go = find("#many-go");
    this.means = select(find("#many-means")).append("svg").attr("role", "img");
    this.distribution = select(find("#many-distribution")).append("svg").attr("role", "img");
    this.results = new Map(); // "n algorithm" -> { n, algorithm, runs: [[outcome, evaluations]…], error, isDone }
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
    this.form.elements.ns.value = state.ns;
    this.form.elements.runs.value = state.runs;
    const key = JSON.stringify([wordsOf({ ...state, n: "" }), state.versus, state.runs]);
    if (key !== this.key) {
      this.halt();
      this.results.clear();
      this.draw();
    }
    this.key = key;
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
    for (const [key, result] of this.results) if (!result.isDone || result.error) this.results.delete(key);
    for (const n of wanted) {
      for (const algorithm of algorithms) {
        if (this.results.has(`${n} ${algorithm}`)) continue;
        await this.runOne(state, n, algorithm, stop);
        if (stop.signal.aborted) return;
      }
    }
    this.halt();
    this.status.textContent = `Done: ${[...this.results.values()].reduce((sum, one) => sum + one.runs.length, 0)} runs.`;
  }

  async runOne(state, n, algorithm, stop) {
    const result = { n, algorithm, runs: [], error: null, isDone: false };
    this.results.set(`${n} ${algorithm}`, result);
    const words = { ...wordsOf({ ...state, n, algorithm }), runs: state.runs };
    let lastDrawn = 0;
    try {
      for await (const piece of lines("/api/many", words, stop.signal)) {
        if (piece.wait) this.status.textContent = piece.wait;
        if (piece.runs) result.runs.push(...piece.runs);
        if (piece.end) result.isDone = true;
        if (piece.words) this.status.textContent = piece.words;
        if (performance.now() - lastDrawn > 120 || piece.end) {
          lastDrawn = performance.now();
          if (!piece.words) this.status.textContent = `${NAMES[algorithm]}, n = ${n}: ${result.runs.length} of ${state.runs} runs`;
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

  draw() {
    const rows = [...this.results.values()].map((result) => ({ ...result, ...summary(result.runs) }));
    rows.sort((a, b) => a.n - b.n || a.algorithm.localeCompare(b.algorithm));
    const algorithms = [...new Set(rows.map((row) => row.algorithm))].sort();
    this.drawTable(rows);
    this.drawMeans(rows, algorithms);
    const ns = [...new Set(rows.map((row) => row.n))];
    const chosen = ns.includes(this.wanted) ? this.wanted : ns[ns.length - 1];
    if (ns.join() !== [...this.which.options].map((option) => option.value).join()) {
      this.which.replaceChildren(...ns.map((n) => new Option(n, n)));
    }
    if (chosen) this.which.value = chosen;
    this.drawDistribution(rows.filter((row) => row.n === chosen), algorithms);
  }

  drawTable(rows) {
    this.body.replaceChildren(
      ...rows.map((row) => {
        const line = document.createElement("tr");
        const cells = row.error
          ? [row.n, NAMES[row.algorithm], row.error]
          : [
              whole(row.n),
              NAMES[row.algorithm],
              whole(row.runs.length),
              whole(row.optimum),
              whole(row.stuck),
              whole(row.budget),
              row.times.length ? `${rounded(row.mean)}${row.isAll ? "" : " *"}` : "–",
              row.times.length > 1 ? rounded(row.margin) : "–",
              row.times.length ? rounded(row.median) : "–",
              row.times.length ? rounded(row.high) : "–",
            ];
        cells.forEach((text, place) => {
          const cell = document.createElement("td");
          cell.textContent = text;
          if (row.error && place === 2) cell.colSpan = 8;
          line.append(cell);
        });
        return line;
      }),
    );
    if (rows.some((row) => row.stuck)) this.addNote("* over the runs that reached the optimum; stuck runs never end, so the mean over all is infinite");
    else if (rows.some((row) => row.budget)) this.addNote("* over the runs that reached the optimum; the budget stopped others, so the mean over all is larger");
  }

  addNote(text) {
    const line = document.createElement("tr");
    const cell = document.createElement("td");
    cell.colSpan = 10;
    cell.className = "table-note";
    cell.textContent = text;
    line.append(cell);
    this.body.append(line);
  }

  frame(svg) {
    const width = svg.node().parentNode.clientWidth;
    svg.attr("width", width).attr("height", HEIGHT).selectAll("*").remove();
    return width;
  }

  drawMeans(rows, algorithms) {
    const width = this.frame(this.means);
    const known = rows.filter((row) => row.times.length);
    if (!width || !known.length) return;
    const svg = this.means;
    const ns = known.map((row) => Number(row.n));
    const [least, most] = [Math.min(...ns), Math.max(...ns)];
    const x = scaleLog().domain([least / 1.3, most * 1.3]).range([MARGIN.left, width - MARGIN.right]);
    const low = Math.min(...known.map((row) => Math.max(1, row.mean - row.margin)));
    const high = Math.max(...known.map((row) => row.mean + row.margin));
    const y = scaleLog().domain([low / 1.6, high * 1.6]).range([HEIGHT - MARGIN.bottom, MARGIN.top]);
    axes(svg, width, x, y, "n", [...new Set(ns)]);
    if (this.guides.checked && most > least) {
      const anchor = known.find((row) => Number(row.n) === least);
      for (const [name, law] of [["n log n", (n) => n * Math.log(n + 1)], ["n²", (n) => n * n]]) {
        const scale = anchor.mean / law(least);
        const points = Array.from({ length: 40 }, (_, i) => least * (most / least) ** (i / 39))
          .map((n) => [n, scale * law(n)])
          .filter(([, value]) => value <= high * 1.6);
        svg.append("path").attr("class", "guide").attr("d", line(([n]) => x(n), ([, value]) => y(value))(points));
        const last = points[points.length - 1];
        svg.append("text").attr("class", "guide").attr("x", x(last[0]) - 4).attr("y", y(last[1]) + 14).attr("text-anchor", "end").text(name);
      }
    }
    algorithms.forEach((algorithm, place) => {
      const mine = known.filter((row) => row.algorithm === algorithm);
      const group = svg.append("g").attr("class", `series series-${place}`);
      group.append("path").attr("class", "line").attr("d", line((row) => x(row.n), (row) => y(row.mean))(mine));
      for (const row of mine) {
        group
          .append("line")
          .attr("class", "whisker")
          .attr("x1", x(row.n))
          .attr("x2", x(row.n))
          .attr("y1", y(Math.max(1, row.mean - row.margin)))
          .attr("y2", y(row.mean + row.margin));
        const mark = group.append("path").attr("class", row.isAll ? "mark" : "mark hollow").attr("transform", `translate(${x(row.n)},${y(row.mean)})`);
        mark.attr("d", place === 0 ? "M-5,0A5,5 0 1,1 5,0A5,5 0 1,1 -5,0Z" : "M-5,-5H5V5H-5Z");
        mark.append("title").text(`${NAMES[algorithm]}, n = ${row.n}: mean ${rounded(row.mean)}${row.isAll ? "" : " of those that reached the optimum"}`);
      }
      const last = mine[mine.length - 1];
      if (last) group.append("text").attr("x", x(last.n) - 10).attr("y", y(last.mean) - 10).attr("text-anchor", "end").text(NAMES[algorithm]);
    });
    const words = known.map((row) => `${NAMES[row.algorithm]}, n = ${row.n}: ${rounded(row.mean)}`).join("; ");
    svg.attr("aria-label", `Mean evaluations against n. ${words}`);
  }

  drawDistribution(rows, algorithms) {
    const width = this.frame(this.distribution);
    const known = rows.filter((row) => row.times.length);
    if (!width || !known.length) return;
    const svg = this.distribution;
    const most = Math.max(...known.map((row) => row.times[row.times.length - 1]));
    const least = Math.min(...known.map((row) => row.times[0]));
    const isWide = known.length > 1 && Math.max(...known.map((row) => row.mean)) > 6 * Math.min(...known.map((row) => row.mean));
    const x = (isWide ? scaleLog().domain([Math.max(1, least), most + 1]) : scaleLinear().domain([0, most * 1.02])).range([
      MARGIN.left,
      width - MARGIN.right,
    ]);
    const counted = known.map((row) => {
      const counts = new Array(BINS).fill(0);
      const span = (width - MARGIN.left - MARGIN.right) / BINS;
      for (const time of row.times) counts[Math.min(BINS - 1, Math.floor((x(time) - MARGIN.left) / span))]++;
      return { row, counts, span };
    });
    const tallest = Math.max(...counted.flatMap(({ counts }) => counts));
    const y = scaleLinear().domain([0, tallest]).nice(4).range([HEIGHT - MARGIN.bottom, MARGIN.top]);
    axes(svg, width, x, y, "evaluations");
    for (const { row, counts, span } of counted) {
      const place = algorithms.indexOf(row.algorithm);
      const group = svg.append("g").attr("class", `series series-${place}`);
      counts.forEach((count, bin) => {
        if (!count) return;
        group
          .append("rect")
          .attr("x", MARGIN.left + bin * span + 1)
          .attr("width", Math.max(1, span - 2))
          .attr("y", y(count))
          .attr("height", y(0) - y(count))
          .append("title")
          .text(`${count} runs`);
      });
      for (const [name, value] of [["mean", row.mean], ["median", row.median]]) {
        group.append("line").attr("class", `at ${name}`).attr("x1", x(Math.max(value, 1))).attr("x2", x(Math.max(value, 1))).attr("y1", MARGIN.top).attr("y2", y(0));
      }
      group
        .append("text")
        .attr("x", width - MARGIN.right)
        .attr("y", MARGIN.top + 12 + 16 * place)
        .attr("text-anchor", "end")
        .text(
          width < 480
            ? `${NAMES[row.algorithm]}: ${rounded(row.mean)} (line), ${rounded(row.median)} (dashes)`
            : `${NAMES[row.algorithm]}: mean ${rounded(row.mean)} (line), median ${rounded(row.median)} (dashes)`,
        );
    }
    svg.attr("aria-label", known.map((row) => `${NAMES[row.algorithm]}: mean ${rounded(row.mean)}, median ${rounded(row.median)}, 90 % within ${rounded(row.high)}`).join("; "));
  }
}

function axes(svg, width, x, y, name, values) {
  const bottom = ticks(axisBottom(x), x, Math.max(2, width / 110));
  if (values && values.length <= 12) bottom.tickValues(values).tickFormat((value) => brief(value));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${HEIGHT - MARGIN.bottom})`).call(bottom);
  const left = ticks(axisLeft(y), y, 4);
  svg.append("g").attr("class", "axis").attr("transform", `translate(${MARGIN.left},0)`).call(left);
  svg.append("text").attr("class", "caption").attr("x", width - MARGIN.right).attr("y", HEIGHT - 4).attr("text-anchor", "end").text(name);
}

// A logarithmic scale names the ticks that it has room for, a linear one all.
function ticks(axis, scale, count) {
  axis.tickSizeOuter(0);
  return scale.base ? axis.ticks(count, brief) : axis.ticks(count).tickFormat(brief);
}

// Runs that did not reach the optimum are counted, and said to be left out of the mean.
function summary(runs) {
  const times = [];
  const counts = { optimum: 0, stuck: 0, budget: 0 };
  for (const [outcome, evaluations] of runs) {
    counts[outcome]++;
    if (outcome === "optimum") times.push(evaluations);
  }
  times.sort((a, b) => a - b);
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / Math.max(1, times.length - 1);
  const middle = times.length >> 1;
  return {
    ...counts,
    times,
    mean,
    margin: times.length > 1 ? 1.96 * Math.sqrt(variance / times.length) : 0,
    median: times.length % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2,
    high: times[Math.min(times.length - 1, Math.ceil(0.9 * times.length) - 1)],
    isAll: times.length === runs.length,
  };
}
