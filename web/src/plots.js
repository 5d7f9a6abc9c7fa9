// Many runs drawn: the mean against n with its law, the share of runs that do not end, the distribution for one n.
// What has no place on an axis, because it is infinite or beyond the budget, has a lane of its own beside it.
//
// Each picture returns its legend: { entries: [{ place, text }], note }, `place` being the look of an algorithm.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { line } from "d3-shape";
import { brief, percent, whole } from "./numbers.js";

// Of the algorithms, as the server has told them.
export const names = new Map();
export const nameOf = (algorithm) => names.get(algorithm) ?? algorithm;

export const MARGIN = { top: 14, right: 16, bottom: 34, left: 54 };
const TALL = 300;
export const HEIGHT = 210;
export const LANE = 24; // of infinite means, above the axis
const BIN = 44; // of runs that did not end, beyond the axis
const BINS = 24;
const ARROW = 22; // above what a mean is at least
const REACH = 40; // an interval that reaches further than this factor from its value leaves the frame
const MARKS = ["M-5,0A5,5 0 1,1 5,0A5,5 0 1,1 -5,0Z", "M-5,-5H5V5H-5Z"];
export const NOTHING = { entries: [], note: "" };
const GUIDES = [["n log n", (n) => n * Math.log(n + 1)], ["n²", (n) => n * n]];

// What is drawn of a mean: itself, the mean given the optimum where it is infinite, or what it is at least.
function drawnMean({ mean, given_optimum: given }) {
  if (mean.value !== null) return { ...mean, kind: "known" };
  if (mean.at_least !== undefined) return { ...mean, value: mean.at_least, kind: "least" };
  return { ...given, kind: "given" };
}

// rows: { n, algorithm, cell }; laws: algorithm -> { name, line }.
export function drawGrowth(svg, rows, algorithms, laws, hasGuides) {
  const width = frame(svg, TALL);
  const known = rows.filter((row) => row.cell).map((row) => ({ ...row, at: drawnMean(row.cell) }));
  if (!width || !known.length) return NOTHING;
  const isInfinite = (row) => row.cell.stuck.value > 0;
  const lane = known.some(isInfinite) ? LANE : 0;
  const ns = [...new Set(known.map((row) => row.n))];
  const x = sizes(ns, width);
  const seen = known.filter((row) => row.at.value !== null).map((row) => row.at);
  const low = Math.min(...seen.map(({ value, low }) => Math.max(low ?? value, value / REACH)));
  const high = Math.max(...seen.map(({ value, high }) => Math.min(high ?? value, value * REACH)));
  const domain = seen.length ? [low / 1.6, high * 1.8] : [1, 10];
  const y = scaleLog().domain(domain).range([TALL - MARGIN.bottom, MARGIN.top + lane]);
  axisOfSizes(svg, width, TALL, x, ns);
  if (seen.length) axisOf(svg, y, brief);
  if (lane) drawLane(svg, width, MARGIN.top + lane);
  if (hasGuides && ns.length > 1 && seen.length) drawGuides(svg, known.find((row) => row.at.value !== null), ns, x, y);
  algorithms.forEach((algorithm, place) => {
    const mine = known.filter((row) => row.algorithm === algorithm);
    const group = svg.append("g").attr("class", `series series-${place}`);
    const law = laws.get(algorithm);
    const measured = mine.filter((row) => row.at.value !== null && row.at.kind !== "least").map((row) => [row.n, row.at.value]);
    const path = line(([n]) => x(n), ([, time]) => y(time));
    group.append("path").attr("class", "line").attr("d", path(law?.line.length ? law.line : measured));
    for (const row of mine) {
      const { at } = row;
      const words = `${nameOf(algorithm)}, n = ${whole(row.n)}: mean ${told(row.cell.mean)}`;
      if (isInfinite(row)) mark(group, place, x(row.n) + aside(place, algorithms), MARGIN.top + lane / 2 - 3, "infinite", words);
      if (at.value === null) continue;
      whisker(group, x(row.n), at, y, at.kind === "least");
      const more = at.kind === "given" ? `; given the optimum ${told(at)}` : "";
      mark(group, place, x(row.n), y(at.value), at.kind === "known" ? "" : "hollow", words + more);
    }
  });
  svg.attr("aria-label", `Mean evaluations against n. ${known.map((row) => `${nameOf(row.algorithm)}, n = ${whole(row.n)}: ${told(row.cell.mean)}`).join("; ")}`);
  const kinds = new Set(known.map((row) => row.at.kind));
  const isLaw = (algorithm) => Boolean(laws.get(algorithm)?.name);
  const notes = [
    algorithms.some(isLaw) && "The line is the likeliest law.",
    kinds.has("given") && "Where runs are stuck the mean is infinite, on top; hollow marks are the mean given the optimum.",
    kinds.has("least") && "Hollow marks with an arrow: the budget stopped runs, so the mean is at least so much.",
  ];
  const entries = algorithms.map((algorithm, place) => ({ place, text: isLaw(algorithm) ? `${nameOf(algorithm)}, line ${laws.get(algorithm).name}` : nameOf(algorithm) }));
  return { entries, note: notes.filter(Boolean).join(" ") };
}

export function drawLane(svg, width, y) {
  const lane = svg.append("g").attr("class", "lane");
  lane.append("line").attr("x1", MARGIN.left).attr("x2", width - MARGIN.right).attr("y1", y).attr("y2", y);
  lane.append("text").attr("x", MARGIN.left - 8).attr("y", y - LANE / 2 + 3).attr("text-anchor", "end").text("∞");
}

function drawGuides(svg, anchor, ns, x, y) {
  const [least, most] = [Math.min(...ns), Math.max(...ns)];
  for (const [name, law] of GUIDES) {
    const scale = anchor.at.value / law(anchor.n);
    const points = Array.from({ length: 40 }, (_, i) => least * (most / least) ** (i / 39))
      .map((n) => [n, scale * law(n)])
      .filter(([, value]) => value >= y.domain()[0] && value <= y.domain()[1]);
    if (!points.length) continue;
    svg.append("path").attr("class", "guide").attr("d", line(([n]) => x(n), ([, value]) => y(value))(points));
    const last = points[points.length - 1];
    svg.append("text").attr("class", "guide").attr("x", x(last[0]) - 4).attr("y", y(last[1]) + 14).attr("text-anchor", "end").text(name);
  }
}

// The share of runs that are stuck, hollow that of runs which the budget stopped; nothing where all runs end.
export function drawShares(svg, rows, algorithms) {
  const known = rows.filter((row) => row.cell);
  const kinds = ["stuck", "budget"].filter((kind) => known.some((row) => row.cell[kind].value > 0));
  svg.node().closest("figure").hidden = !kinds.length;
  const width = frame(svg, HEIGHT);
  if (!width || !kinds.length) return NOTHING;
  const ns = [...new Set(known.map((row) => row.n))];
  const x = sizes(ns, width);
  const y = scaleLinear().domain([0, 1]).range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  axisOfSizes(svg, width, HEIGHT, x, ns);
  axisOf(svg, y, percent);
  algorithms.forEach((algorithm, place) => {
    const group = svg.append("g").attr("class", `series series-${place}`);
    const mine = known.filter((row) => row.algorithm === algorithm);
    for (const kind of kinds) {
      for (const row of mine) {
        const share = row.cell[kind];
        const at = x(row.n) + aside(place, algorithms);
        whisker(group, at, share, y);
        const what = kind === "stuck" ? "stuck" : "stopped by the budget";
        mark(group, place, at, y(share.value), kind === "stuck" ? "" : "hollow", `${nameOf(algorithm)}, n = ${whole(row.n)}: ${share.short} ${share.interval} ${what}`);
      }
    }
  });
  svg.attr("aria-label", `Share of runs against n. ${known.map((row) => `${nameOf(row.algorithm)}, n = ${whole(row.n)}: ${kinds.map((kind) => `${kind} ${row.cell[kind].text}`).join(", ")}`).join("; ")}`);
  const entries = algorithms.map((algorithm, place) => ({ place, text: nameOf(algorithm) }));
  const filled = kinds.includes("stuck") ? "Filled: stuck. " : "";
  return { entries, note: kinds.includes("budget") ? `${filled}Hollow: stopped by the budget, so stuck or not.` : "" };
}

export function drawDistribution(svg, rows, algorithms) {
  const width = frame(svg, TALL);
  const counted = rows.filter((row) => row.runs.length).map((row) => ({ row, times: timesOf(row.runs, "optimum"), ends: endsOf(row.runs) }));
  if (!width || !counted.length) return NOTHING;
  const lanes = ["stuck", "budget"].filter((kind) => counted.some(({ ends }) => ends[kind]));
  const right = width - MARGIN.right - BIN * lanes.length;
  const times = counted.flatMap((one) => one.times);
  const x = timeScale(counted, times).range([MARGIN.left, right]);
  const span = (right - MARGIN.left) / BINS;
  for (const one of counted) {
    one.counts = new Array(BINS).fill(0);
    for (const time of one.times) one.counts[Math.min(BINS - 1, Math.floor((x(time) - MARGIN.left) / span))]++;
  }
  const tallest = Math.max(...counted.flatMap(({ counts, ends }) => [...counts, ends.stuck, ends.budget]));
  const y = scaleLinear().domain([0, tallest]).nice(4).range([TALL - MARGIN.bottom, MARGIN.top]);
  if (times.length) axisBelow(svg, TALL, ticks(axisBottom(x), x, Math.max(2, width / 110), brief), "evaluations", right - 6);
  axisOf(svg, y, brief);
  lanes.forEach((kind, i) => {
    const middle = right + (i + 0.5) * BIN;
    svg.append("text").attr("class", "caption").attr("x", middle).attr("y", TALL - MARGIN.bottom + 16).attr("text-anchor", "middle").text(kind === "stuck" ? "∞" : ">");
    svg.append("text").attr("class", "caption").attr("x", middle).attr("y", TALL - 4).attr("text-anchor", "middle").text(kind);
  });
  counted.forEach(({ row, counts, ends }, order) => {
    const group = svg.append("g").attr("class", `series series-${algorithms.indexOf(row.algorithm)}`);
    const bar = (left, wide, count) =>
      count &&
      group.append("rect").attr("x", left).attr("width", Math.max(1, wide)).attr("y", y(count)).attr("height", y(0) - y(count)).append("title").text(`${count} runs`);
    counts.forEach((count, bin) => bar(MARGIN.left + bin * span + 1, span - 2, count));
    const part = (BIN - 10) / counted.length;
    lanes.forEach((kind, i) => bar(right + i * BIN + 5 + order * part, part - 2, ends[kind]));
    if (row.cell) drawCentres(group, row, x, y);
  });
  svg.attr("aria-label", counted.map(({ row }) => `${nameOf(row.algorithm)}: ${row.cell ? `mean ${told(row.cell.mean)}, median ${told(row.cell.median)}` : "runs go on"}`).join("; "));
  const entries = counted.map(({ row }) => ({
    place: algorithms.indexOf(row.algorithm),
    text: row.cell ? `${nameOf(row.algorithm)}: ${centres(row.cell)}` : nameOf(row.algorithm),
  }));
  return { entries, note: "" };
}

const timesOf = (runs, outcome) => runs.filter((run) => run[0] === outcome).map((run) => run[1]);
const endsOf = (runs) => ({ stuck: timesOf(runs, "stuck").length, budget: timesOf(runs, "budget").length });

// Logarithmic where two algorithms differ much.
function timeScale(counted, times) {
  if (!times.length) return scaleLinear().domain([0, 1]);
  const [least, most] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [Infinity, 0]);
  const largest = counted.filter((one) => one.times.length).map((one) => Math.max(...one.times));
  const isWide = largest.length > 1 && Math.max(...largest) > 6 * Math.min(...largest);
  return isWide ? scaleLog().domain([Math.max(1, least), most + 1]) : scaleLinear().domain([0, most * 1.02]);
}

function drawCentres(group, { cell }, x, y) {
  const mean = cell.mean.value ?? (cell.mean.at_least === undefined ? cell.given_optimum.value : null);
  for (const [name, value] of [["mean", mean], ["median", cell.median.value]]) {
    if (value === null) continue;
    group.append("line").attr("class", `at ${name}`).attr("x1", x(Math.max(value, 1))).attr("x2", x(Math.max(value, 1))).attr("y1", MARGIN.top).attr("y2", y(0));
  }
}

// The two lines of a distribution in words; a mean over all that is infinite has none.
function centres({ mean, given_optimum: given, median }) {
  const parts = [`mean ${mean.short}${mean.value === null ? "" : " (line)"}`];
  if (mean.value === null && mean.at_least === undefined && given.value !== null) parts.push(`given the optimum ${given.short} (line)`);
  parts.push(`median ${median.short}${median.value === null ? "" : " (dashes)"}`);
  return parts.join(", ");
}

const told = ({ text, interval }) => (interval ? `${text} ${interval}` : text);

// Two algorithms at the same n do not hide each other.
const aside = (place, algorithms) => (algorithms.length > 1 ? (place - 0.5) * 12 : 0);

export function mark(group, place, x, y, kind, words) {
  const drawn = group.append("path").attr("class", `mark ${kind}`).attr("transform", `translate(${x},${y})`).attr("d", MARKS[place]);
  drawn.append("title").text(words);
}

// An interval, with a cap where it ends within the frame; `isOpen` has an arrow instead of an upper end.
export function whisker(group, x, { value, low, high }, y, isOpen = false) {
  const [bottom, top] = y.range();
  const within = (at) => Math.max(top, Math.min(bottom, at));
  const cap = (at, end) => (end !== null && at > top && at < bottom ? `M${x - 4},${at}h8` : "");
  const from = within(y(low ?? value));
  const to = within(isOpen ? y(value) - ARROW : y(high ?? value));
  const head = isOpen ? `M${x - 4},${to + 6}l4,-6l4,6` : cap(to, high);
  group.append("path").attr("class", "whisker").attr("d", `M${x},${from}V${to}${cap(from, low)}${head}`);
}

export function frame(svg, height) {
  const width = svg.node().parentNode.clientWidth;
  svg.attr("width", width).attr("height", height).attr("viewBox", [0, 0, width, height]).selectAll("*").remove();
  return width;
}

const sizes = (ns, width) =>
  scaleLog().domain([Math.min(...ns) / 1.3, Math.max(...ns) * 1.3]).range([MARGIN.left, width - MARGIN.right]);

function axisOfSizes(svg, width, height, x, ns) {
  const axis = ticks(axisBottom(x), x, Math.max(2, width / 110), brief);
  if (ns.length <= 12) axis.tickValues(ns).tickFormat(brief);
  axisBelow(svg, height, axis, "n", width - MARGIN.right);
}

export function axisBelow(svg, height, axis, name, right) {
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - MARGIN.bottom})`).call(axis);
  svg.append("text").attr("class", "caption").attr("x", right).attr("y", height - 4).attr("text-anchor", "end").text(name);
}

export function axisOf(svg, y, format) {
  svg.append("g").attr("class", "axis").attr("transform", `translate(${MARGIN.left},0)`).call(ticks(axisLeft(y), y, 4, format));
}

// A logarithmic scale names the ticks that it has room for, a linear one all.
export function ticks(axis, scale, count, format) {
  axis.tickSizeOuter(0);
  return scale.base ? axis.ticks(count, format) : axis.ticks(count).tickFormat(format);
}
