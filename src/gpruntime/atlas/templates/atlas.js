"use strict";
const entries = JSON.parse(document.getElementById("data").textContent);
const table = document.getElementById("atlas");
const body = table.tBodies[0];
// name, what stands in the cell (HTML), what it is sorted by
const columns = [
  ["Problem", (e) => e.problem, (e) => e.problem],
  ["Algorithm", (e) => e.algorithm, (e) => e.algorithm],
  ["Initial tree", (e) => e.init, (e) => e.init],
  ["Mark", (e) => e.mark, (e) => e.mark],
  ["Bound", (e) => (e.bounds.length ? e.bounds[nearest(e)].formula : "–"), (e) => e.bound],
  ["Measured law", (e) => e.shown.law, (e) => e.constant],
  ["Power of n", (e) => e.shown.power, (e) => e.power],
  ["P(optimum)", (e) => e.shown.p_optimum, (e) => e.p_optimum],
  ["P(stuck)", (e) => e.shown.p_stuck, (e) => e.p_stuck],
  ["Mean", (e) => e.shown.mean + ` <span class="interval">at n = ${e.n}</span>`, (e) => e.mean],
  ["T<sub>max</sub>", (e) => e.shown.leaves, (e) => e.mean_max_leaves],
  ["P<sub>max</sub>", (e) => e.shown.population, (e) => e.mean_max_population],
];
const state = { column: -1, down: false, open: new Set() };
const filters = ["problem", "algorithm", "init", "mark"];

function nearest(entry) {
  return Math.max(entry.bounds.findIndex((bound) => plain(bound.formula) === plain(escape(entry.bound))), 0);
}
function escape(text) {
  const made = document.createElement("i");
  made.textContent = text;
  return made.innerHTML;
}
function plain(markup) {
  const made = new DOMParser().parseFromString(markup, "text/html");
  return made.body.textContent.replace(/[\s_^()]/g, "");
}
function plainName(name) {
  return name.replace("<sub>", "_").replace("</sub>", "");
}
function element(name, attributes, ...parts) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...parts);
  return made;
}
function markup(name, html) {
  const made = document.createElement(name);
  made.innerHTML = html;
  return made;
}

function wanted(entry) {
  const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [entry.problem, entry.algorithm, entry.init, entry.mark, entry.bound, entry.bound_source, entry.law]
    .join(" ").toLowerCase();
  return words.every((word) => text.includes(word))
    && filters.every((name) => !document.getElementById(name).value || document.getElementById(name).value === entry[name]);
}
function sorted(found) {
  if (state.column < 0) return found;
  const key = columns[state.column][2];
  const sign = state.down ? -1 : 1;
  const known = (value) => value !== null && value !== "";
  return [...found].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (!known(x) || !known(y)) return known(y) - known(x); // what is not known comes last, either way
    return sign * (typeof x === "number" ? x - y : x.localeCompare(y, "en"));
  });
}

function heading() {
  table.tHead.rows[0].replaceChildren(...columns.map(([name], place) => {
    const button = element("button", { type: "button" });
    button.innerHTML = name;
    button.addEventListener("click", () => {
      state.down = state.column === place && !state.down;
      state.column = place;
      draw();
    });
    const made = element("th", { scope: "col" }, button);
    if (place === state.column) made.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    return made;
  }));
}
function row(entry) {
  const cells = columns.map(([name, show], place) => {
    if (place === 0) {
      const open = state.open.has(entry.id);
      const button = element("button", { type: "button", "aria-expanded": String(open) }, entry.problem);
      button.addEventListener("click", () => {
        if (open) state.open.delete(entry.id);
        else state.open.add(entry.id);
        draw();
        document.getElementById(entry.id)?.querySelector("button").focus();
      });
      return element("th", { scope: "row" }, button);
    }
    const made = markup("td", place < 4 ? escape(show(entry)) : show(entry));
    made.dataset.name = plainName(name);
    if (name === "Mark") made.className = entry.mark.replace(/,/g, "").replace(/ /g, "-");
    return made;
  });
  return element("tr", { id: entry.id }, ...cells);
}
function draw() {
  heading();
  const found = sorted(entries.filter(wanted));
  document.getElementById("count").textContent = `${found.length} of ${entries.length} entries`;
  const rows = [];
  for (const entry of found) {
    rows.push(row(entry));
    if (state.open.has(entry.id)) rows.push(opened(entry));
  }
  body.replaceChildren(...rows);
}

function list(items) {
  const made = document.createElement("ul");
  for (const item of items) made.append(markup("li", item));
  return made;
}
function opened(entry) {
  const told = document.createElement("div");
  told.append(markup("b", "What is proved"));
  told.append(entry.bounds.length
    ? list(entry.bounds.map((bound) => `<b>${bound.formula}</b>: ${bound.told} Here: ${bound.verdict}.`))
    : list(["Nothing that is known to us."]));
  told.append(markup("b", "What is measured"), list([...entry.sentences, ...entry.caveats]));
  if (entry.exact.length) {
    told.append(markup("b", "Exactly"), list(entry.exact.map((one) => `n = ${one.n}: ${escape(one.words)}`)));
  }
  const numbers = element("table", { class: "numbers" });
  const names = ["n", "runs", "stuck", "stopped", "P(optimum)", "mean", "mean if optimum", "T<sub>max</sub>", "P<sub>max</sub>"];
  const used = names.map((_, place) => entry.cells.some((cell) => cell.texts[place]));
  const head = numbers.createTHead().insertRow();
  names.forEach((name, place) => used[place] && head.append(markup("th", name)));
  const rows = numbers.createTBody();
  for (const cell of entry.cells) {
    const line = rows.insertRow();
    cell.texts.forEach((text, place) => {
      if (!used[place]) return;
      const made = markup("td", text);
      made.dataset.name = plainName(names[place]);
      line.append(made);
    });
  }
  const again = element("details", {}, element("summary", {}, "Plan, and the commands that repeat it"),
    element("pre", {}, entry.plan), element("pre", {}, entry.commands.join("\n")));
  const inside = element("div", { class: "inside" }, element("div", {}, curve(entry)), told);
  return element("tr", { class: "opened" }, element("td", { colspan: columns.length }, inside, numbers, again));
}

// ---- the curve: mean evaluations over n, both logarithmic, with intervals and the fitted law
function shape(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
function curve(entry) {
  const svg = shape("svg", { viewBox: "0 0 400 260", role: "img", "aria-label": `Mean evaluations over n: ${entry.problem}, ${entry.algorithm}` });
  const points = entry.cells.filter((cell) => cell.y !== null);
  if (!points.length) {
    svg.append(shape("text", { x: 200, y: 130, "text-anchor": "middle" }, "no run reached the optimum"));
    return svg;
  }
  const lows = points.flatMap((p) => [p.y, p.low ?? p.y, p.law ?? p.y]);
  const highs = points.flatMap((p) => [p.y, p.high ?? p.y, p.law ?? p.y]);
  const all = entry.cells.map((cell) => cell.n);
  const scaleOf = (least, most, from, to) => (v) => from + (to - from) * (Math.log(v / least) / (Math.log(most / least) || 1));
  const x = scaleOf(Math.min(...all), Math.max(...all), 56, 385);
  const y = scaleOf(Math.max(Math.min(...lows) / 1.3, 0.5), Math.max(...highs) * 1.3, 215, 12);
  svg.append(shape("path", { d: "M48 8V220H392", fill: "none", stroke: "var(--faint)" }));
  for (const n of all) {
    svg.append(shape("text", { x: x(n), y: 236, "text-anchor": "middle" }, n.toLocaleString("en")));
  }
  svg.append(shape("text", { x: 220, y: 254, "text-anchor": "middle" }, "n"));
  const [bottom, top] = [Math.min(...lows) / 1.3, Math.max(...highs) * 1.3];
  for (let power = -1; power <= 12; power += 1) {
    const value = 10 ** power;
    if (value < bottom || value > top) continue;
    svg.append(shape("path", { d: `M48 ${y(value)}H392`, stroke: "var(--line)" }));
    svg.append(shape("text", { x: 44, y: y(value) + 4, "text-anchor": "end" }, power < 5 ? value.toLocaleString("en") : `1e${power}`));
  }
  const law = points.filter((p) => p.law !== null);
  if (law.length > 1) {
    svg.append(shape("path", { d: "M" + law.map((p) => `${x(p.n)} ${y(p.law)}`).join("L"), fill: "none", stroke: "var(--warning)", "stroke-width": 1.5 }));
  }
  for (const p of points) {
    if (p.low !== null && p.high !== null) {
      svg.append(shape("path", { d: `M${x(p.n)} ${y(p.low)}V${y(p.high)}`, stroke: "var(--link)" }));
    }
    svg.append(shape("circle", { cx: x(p.n), cy: y(p.y), r: 3.5, fill: p.complete ? "var(--link)" : "var(--card)", stroke: "var(--link)" }));
  }
  svg.append(shape("text", { x: 56, y: 20 }, points.every((p) => p.complete) ? "mean evaluations" : "mean evaluations (hollow: of runs that reached the optimum)"));
  return svg;
}

for (const name of ["search", ...filters]) document.getElementById(name).addEventListener("input", draw);
document.getElementById("clear").addEventListener("click", () => {
  for (const name of ["search", ...filters]) document.getElementById(name).value = "";
  draw();
});
function follow() {
  const asked = decodeURIComponent(location.hash.slice(1));
  if (!entries.some((entry) => entry.id === asked)) return;
  state.open.add(asked);
  draw();
  document.getElementById(asked)?.scrollIntoView();
}
addEventListener("hashchange", follow);
draw();
follow();
