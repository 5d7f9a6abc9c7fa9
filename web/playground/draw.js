// Pictures: the mean against n, the times of one n, one run.
const NS = "http://www.w3.org/2000/svg";
const MARGIN = { top: 16, right: 18, bottom: 40, left: 62 };
const BINS = 30;
const STUCK_ROOM = 56; // beside the axis, for what has no place on it

const whole = (number) => Math.round(number).toLocaleString("en-US");
const brief = (number) => {
  if (number === 0) return "0";
  const [unit, letter] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]].find(([size]) => Math.abs(number) >= size) ?? [1, ""];
  return `${Number((number / unit).toPrecision(3))}${letter}`;
};

function node(parent, kind, attributes = {}, text = "") {
  const made = document.createElementNS(NS, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

function scale(domain, range, isLog) {
  const f = isLog ? Math.log10 : (value) => value;
  const [low, high] = domain.map(f);
  const to = (value) => range[0] + ((f(value) - low) / (high - low || 1)) * (range[1] - range[0]);
  return Object.assign(to, { domain, range, isLog });
}

function ticksOf({ domain: [low, high], isLog }, count) {
  if (isLog) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const digit of high / low > 1000 ? [1] : [1, 2, 5]) ticks.push(digit * 10 ** power);
    const within = ticks.filter((tick) => tick >= low && tick <= high);
    return within.filter((_, place) => place % Math.ceil(within.length / count) === 0);
  }
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((digit) => digit * power >= rough);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(Number(tick.toPrecision(12)));
  return ticks;
}

// An empty picture with its axes; x and y are { domain, isLog, label, ticks }.
function framed(element, height, x, y, right = 0) {
  element.replaceChildren();
  const width = Math.max(280, element.clientWidth);
  const svg = node(element, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  const xs = scale(x.domain, [MARGIN.left, width - MARGIN.right - right], x.isLog);
  const ys = scale(y.domain, [height - MARGIN.bottom, MARGIN.top], y.isLog);
  const axis = node(svg, "g", { class: "axis" });
  const [bottom, left] = [height - MARGIN.bottom, MARGIN.left];
  for (const tick of ticksOf(ys, 5)) {
    node(axis, "line", { x1: left, x2: xs.range[1], y1: ys(tick), y2: ys(tick), class: "grid" });
    node(axis, "text", { x: left - 8, y: ys(tick) + 4, "text-anchor": "end" }, brief(tick));
  }
  for (const tick of x.ticks ?? ticksOf(xs, Math.max(2, Math.floor(width / 110)))) {
    node(axis, "line", { x1: xs(tick), x2: xs(tick), y1: bottom, y2: bottom + 5 });
    node(axis, "text", { x: xs(tick), y: bottom + 18, "text-anchor": "middle" }, brief(tick));
  }
  node(axis, "line", { x1: left, x2: xs.range[1], y1: bottom, y2: bottom });
  node(axis, "text", { x: (left + xs.range[1]) / 2, y: height - 4, "text-anchor": "middle", class: "label" }, x.label);
  node(axis, "text", { x: 0, y: 11, class: "label" }, y.label);
  return { svg, xs, ys, width, bottom };
}

const pathOf = (points, xs, ys) => points.map(([a, b], i) => `${i ? "L" : "M"}${xs(a).toFixed(1)},${ys(b).toFixed(1)}`).join("");

// lines: [{ place, points: [{ n, mean }] }], means with intervals, infinite ones with `mean.value` null.
function drawGrowth(element, lines, ns) {
  const means = lines.flatMap(({ points }) => points.map(({ mean }) => mean)).filter(({ value }) => value !== null);
  if (!means.length) return element.replaceChildren();
  const low = Math.min(...means.map((mean) => mean.low ?? mean.value)) / 1.5;
  const high = Math.max(...means.map((mean) => mean.high ?? mean.value)) * 1.5;
  const x = { domain: [Math.min(...ns) / 1.15, Math.max(...ns) * 1.15], isLog: true, label: "n", ticks: ns.length < 9 ? ns : undefined };
  const { svg, xs, ys } = framed(element, 300, x, { domain: [low, high], isLog: true, label: "mean evaluations, 95 % intervals" });
  for (const { place, points } of lines) {
    const group = node(svg, "g", { class: `series series-${place}` });
    const known = points.filter(({ mean }) => mean.value !== null);
    node(group, "path", { d: pathOf(known.map(({ n, mean }) => [n, mean.value]), xs, ys), class: "line" });
    for (const { n, mean } of known) {
      if (mean.low !== null) node(group, "line", { x1: xs(n), x2: xs(n), y1: ys(mean.low), y2: ys(mean.high), class: "whisker" });
      const at = { class: "mark" };
      if (place) node(group, "rect", { ...at, x: xs(n) - 4.5, y: ys(mean.value) - 4.5, width: 9, height: 9 });
      else node(group, "circle", { ...at, cx: xs(n), cy: ys(mean.value), r: 5 });
    }
  }
  svg.setAttribute("aria-label", "Mean evaluations against n; the numbers are in the table below.");
}

// groups: [{ place, times, stuck, stopped, count }] of one n.
function drawTimes(element, groups) {
  const times = groups.flatMap((group) => group.times);
  const open = groups.map(({ stuck, stopped }) => stuck + stopped);
  const words = groups.some(({ stopped }) => stopped) ? "no end" : "stuck";
  if (!times.length) return element.replaceChildren();
  const least = Math.max(1, times.reduce((a, b) => Math.min(a, b)));
  const most = Math.max(least * 2, times.reduce((a, b) => Math.max(a, b)) * 1.001);
  const width = Math.log(most / least) / BINS;
  const binned = groups.map(({ times: mine, count }) => {
    const bins = Array(BINS).fill(0);
    for (const time of mine) bins[Math.min(BINS - 1, Math.floor(Math.log(time / least) / width))] += 1 / count;
    return bins;
  });
  const high = Math.max(...binned.flat(), ...groups.map(({ count }, i) => open[i] / count));
  const isOpen = open.some(Boolean);
  const y = { domain: [0, high * 1.08], label: "share of the runs" };
  const { svg, xs, ys, bottom } = framed(element, 260, { domain: [least, most], isLog: true, label: "evaluations" }, y, isOpen ? STUCK_ROOM : 0);
  groups.forEach(({ place, count }, i) => {
    const steps = binned[i].flatMap((share, bin) => [bin, bin + 1].map((edge) => [least * Math.exp(edge * width), share]));
    const outline = [[least, 0], ...steps, [least * Math.exp(BINS * width), 0]];
    node(svg, "path", { d: pathOf(outline, xs, ys), class: `series series-${place} area` });
    if (!open[i]) return;
    const x = xs.range[1] + 16 + 18 * i;
    node(svg, "rect", { x, y: ys(open[i] / count), width: 14, height: bottom - ys(open[i] / count), class: `series series-${place} bar` });
  });
  if (isOpen) node(svg, "text", { x: xs.range[1] + 32, y: bottom + 18, "text-anchor": "middle", class: "tick" }, words);
  svg.setAttribute("aria-label", "How many evaluations the runs took, on a logarithmic axis.");
}

// Fitness and leaves of one run.
function drawCourse(element, course, best) {
  const most = Math.max(best, ...course.map(([, fitness, leaves]) => Math.max(fitness, leaves)));
  const least = Math.min(0, best, ...course.map(([, fitness]) => fitness));
  const x = { domain: [0, course[course.length - 1][0]], label: "evaluations" };
  const { svg, xs, ys } = framed(element, 220, x, { domain: [least, most * 1.05], label: "leaves (dashed) and fitness" });
  node(svg, "line", { x1: xs.range[0], x2: xs.range[1], y1: ys(best), y2: ys(best), class: "goal" });
  node(svg, "path", { d: pathOf(course.map(([t, , leaves]) => [t, leaves]), xs, ys), class: "series series-1 line dashed" });
  node(svg, "path", { d: pathOf(course.map(([t, fitness]) => [t, fitness]), xs, ys), class: "series series-0 line" });
  svg.setAttribute("aria-label", `Fitness and leaves of a run over its evaluations; the optimum is ${best}.`);
}
