// Profiles of one n: the mean time until each fitness, and what a run has after some evaluations. Bands are 95 % intervals.
import { axisBottom } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { area, line } from "d3-shape";
import { brief, fitness as written, percent, whole } from "./numbers.js";
import { HEIGHT, LANE, MARGIN, NOTHING, axisBelow, axisOf, drawLane, frame, mark, nameOf, ticks, whisker } from "./plots.js";

const figureOf = (svg) => svg.node().closest("figure");

// The frame, if there is something to show; else the figure goes.
function opened(svg, rows) {
  const figure = figureOf(svg);
  figure.hidden = !rows.length;
  if (!rows.length) return 0;
  figure.querySelector(".of-n").textContent = `n = ${whole(rows[0].n)}`;
  return frame(svg, HEIGHT);
}

export function drawTargets(svg, rows, algorithms) {
  const width = opened(svg, rows);
  const targets = rows.flatMap(({ profile }) => profile.targets);
  const seen = targets.map(([, time]) => time).filter(({ value }) => value > 0);
  if (!width || !seen.length) return NOTHING;
  const isInfinite = targets.some(([, { kind }]) => kind === "stuck");
  const fitness = targets.map(([value]) => value);
  const x = scaleLinear().domain(ordered(rows, fitness)).range([MARGIN.left, width - MARGIN.right]).nice();
  const most = Math.max(...seen.map(({ value, high }) => Math.min(high ?? value, 40 * value)));
  const y = scaleLog().domain([1, Math.max(10, 1.3 * most)]).range([HEIGHT - MARGIN.bottom, MARGIN.top + (isInfinite ? LANE : 0)]);
  axisBelow(svg, HEIGHT, ticks(axisBottom(x), x, Math.max(2, width / 90), written), "fitness", width - MARGIN.right);
  axisOf(svg, y, brief);
  if (isInfinite) drawLane(svg, width, MARGIN.top + LANE);
  for (const { algorithm, profile } of rows) {
    const place = algorithms.indexOf(algorithm);
    const group = svg.append("g").attr("class", `series series-${place}`);
    const known = profile.targets.filter(([, { kind, value }]) => kind === "known" && value > 0);
    group.append("path").attr("class", "line").attr("d", line(([value]) => x(value), ([, time]) => y(time.value))(known));
    for (const [value, time] of profile.targets) {
      const words = `${nameOf(algorithm)}, fitness ${written(value)}: ${time.text}`;
      if (time.kind === "stuck") mark(group, place, x(value), MARGIN.top + LANE / 2 - 3, "infinite", `${words}; runs are stuck below it`);
      if (!(time.value > 0)) continue;
      whisker(group, x(value), time, y);
      mark(group, place, x(value), y(time.value), time.kind === "known" ? "small" : "hollow", words);
    }
  }
  const kinds = new Set(targets.map(([, { kind }]) => kind));
  const notes = [
    kinds.has("stuck") && "Where runs are stuck below a fitness the mean is infinite, on top.",
    kinds.has("budget") && "Where the budget stopped runs below it, the mean is not known.",
    (kinds.has("stuck") || kinds.has("budget")) && "Hollow marks are the mean of the runs that reached it.",
  ];
  return told(svg, rows, algorithms, notes);
}

// `place` 1: the mean best fitness; 2: the share of the targets that are reached.
export function drawBudgets(svg, rows, algorithms, place, what) {
  const width = opened(svg, rows);
  const points = rows.flatMap(({ profile }) => profile.budgets.filter((budget) => budget[place].value !== null));
  if (!width || !points.length) return NOTHING;
  const times = points.map(([time]) => time);
  const x = scaleLog().domain([Math.min(...times), Math.max(...times, Math.min(...times) + 1)]).range([MARGIN.left, width - MARGIN.right]);
  const values = points.flatMap((budget) => [budget[place].low ?? budget[place].value, budget[place].high ?? budget[place].value]);
  const y = scaleLinear().domain(place === 2 ? [0, 1] : [Math.min(...values), Math.max(...values)]).range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  axisBelow(svg, HEIGHT, ticks(axisBottom(x), x, Math.max(2, width / 110), brief), "evaluations", width - MARGIN.right);
  axisOf(svg, y, place === 2 ? percent : written);
  for (const { algorithm, profile } of rows) {
    const group = svg.append("g").attr("class", `series series-${algorithms.indexOf(algorithm)}`);
    const drawn = profile.budgets.filter((budget) => budget[place].value !== null);
    const banded = drawn.filter((budget) => budget[place].low !== null);
    const at = (end) => (budget) => y(budget[place][end]);
    group.append("path").attr("class", "band").attr("d", area().x(([time]) => x(time)).y0(at("low")).y1(at("high"))(banded));
    group.append("path").attr("class", "line").attr("d", line(([time]) => x(time), at("value"))(drawn));
  }
  const isCut = rows.some(({ profile }) => profile.horizon !== null);
  return told(svg, rows, algorithms, [isCut && "Beyond the budget nothing is known."], what);
}

// From the worst to the best, on the right.
function ordered(rows, fitness) {
  const [least, most] = [Math.min(...fitness), Math.max(...fitness)];
  const [first] = rows[0].profile.targets;
  const isFalling = first[0] > rows[0].profile.targets.at(-1)[0];
  return isFalling ? [most, least] : [least, most === least ? least + 1 : most];
}

function told(svg, rows, algorithms, notes, what = "mean evaluations until a fitness") {
  const words = rows.map(({ algorithm, profile }) => `${nameOf(algorithm)}: ${profile.words}`).join("; ");
  svg.attr("aria-label", `${what}. ${words}`);
  const entries = rows.map(({ algorithm }) => ({ place: algorithms.indexOf(algorithm), text: nameOf(algorithm) }));
  return { entries, note: notes.filter(Boolean).join(" ") };
}
