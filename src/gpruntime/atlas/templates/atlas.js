"use strict";
const { entries } = JSON.parse(document.getElementById("data").textContent);
const byId = new Map(entries.map((entry) => [entry.id, entry]));
const find = (id) => document.getElementById(id);
const table = find("atlas");
const dialog = find("entry");
const tip = find("tip");
// name, what stands in the cell (HTML), what it is sorted by
const columns = [
  ["Problem", (e) => e.problem, (e) => e.problem],
  ["Algorithm", (e) => e.algorithm, (e) => e.algorithm],
  ["Initial tree", (e) => e.init, (e) => e.init],
  ["Mark", (e) => e.mark, (e) => e.mark],
  ["Bound", boundOf, (e) => e.bound],
  ["Measured law", (e) => e.shown.law, (e) => e.constant],
  ["Power of n", (e) => e.shown.power, (e) => e.power],
  ["P(optimum)", (e) => e.shown.p_optimum, (e) => e.p_optimum],
  ["P(stuck)", (e) => e.shown.p_stuck, (e) => e.p_stuck],
  ["Mean", (e) => e.shown.mean + ` <span class="interval">at n = ${e.n}</span>`, (e) => e.mean],
  ["T<sub>max</sub>", (e) => e.shown.leaves, (e) => e.mean_max_leaves],
  ["P<sub>max</sub>", (e) => e.shown.population, (e) => e.mean_max_population],
];
const starts = { unity: "from 2n random leaves", "unity:leaves=1": "from one leaf", bad: "from 2n leaves x̄₁", tlopt: "from the trap T<sub>lopt</sub>", uniform: "from uniform programs" };
const filters = ["problem", "algorithm", "init"];
// All that the address keeps: what is looked for, the marks that the legend leaves out, how the table is sorted, what is open.
const state = { search: "", problem: "", algorithm: "", init: "", without: new Set(), sort: "", open: "" };

function boundOf(entry) {
  return entry.nearest < 0 ? "–" : entry.bounds[entry.nearest].formula;
}
function escape(text) {
  const made = document.createElement("i");
  made.textContent = text;
  return made.innerHTML;
}
function plainName(name) {
  return name.replace("<sub>", "_").replace("</sub>", "");
}
function nameOf(entry) {
  return `${entry.problem}, ${entry.algorithm}, from ${entry.init}`;
}
function markOf(entry) {
  return entry.mark.replace(/,/g, "").replace(/ /g, "-");
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
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [entry.problem, entry.algorithm, entry.init, entry.mark, entry.bound, entry.bound_source, entry.law]
    .join(" ").toLowerCase();
  return words.every((word) => text.includes(word)) && !state.without.has(entry.mark)
    && filters.every((name) => !state[name] || state[name] === entry[name]);
}
function sorted(found) {
  const column = columns.find(([name]) => plainName(name) === state.sort.replace(/^-/, ""));
  if (!column) return found;
  const key = column[2];
  const sign = state.sort.startsWith("-") ? -1 : 1;
  const known = (value) => value !== null && value !== "";
  return [...found].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (!known(x) || !known(y)) return known(y) - known(x); // what is not known comes last, either way
    return sign * (typeof x === "number" ? x - y : x.localeCompare(y, "en"));
  });
}

// ---- the map: a panel for each initial tree, a row for each problem, a column for each algorithm
function* distinct(name) {
  yield* new Set(entries.map((entry) => entry[name]));
}
function drawMap() {
  const columnOf = (entry) => entry.algorithm.replace(/, until .*/, ""); // the same algorithm, with another goal
  const at = new Map(entries.map((entry) => [[entry.init, entry.problem, columnOf(entry)].join("\n"), entry]));
  find("map").replaceChildren(...[...distinct("init")].map((init) => {
    const algorithms = [...new Set(entries.filter((entry) => entry.init === init).map(columnOf))];
    const panel = element("table", {}, markup("caption", starts[init] ?? `from ${escape(init)}`));
    const head = panel.createTHead().insertRow();
    head.append(element("td", {}), ...algorithms.map((name) => element("th", { scope: "col" }, element("span", {}, name))));
    const rows = panel.createTBody();
    for (const problem of distinct("problem")) {
      const found = algorithms.map((algorithm) => at.get([init, problem, algorithm].join("\n")));
      const row = rows.insertRow();
      row.className = found.some(Boolean) ? "" : "empty";
      row.append(element("th", { scope: "row" }, problem), ...found.map((entry) => element("td", {}, ...(entry ? [square(entry)] : []))));
    }
    return panel;
  }));
  find("map").querySelector("button")?.setAttribute("tabindex", "0");
}
function square(entry) {
  return element("button", { type: "button", tabindex: "-1", class: markOf(entry), "data-entry": entry.id, "aria-label": `${nameOf(entry)}: ${entry.mark}` },
    element("span", {}, find("legend").querySelector(`[data-mark="${entry.mark}"]`).dataset.glyph));
}
function step(event) {
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
  const from = event.target.closest("button[data-entry]");
  if (!from || !(across || down)) return;
  event.preventDefault();
  const rowOf = (cell) => cell.parentElement.sectionRowIndex;
  const places = [...from.closest("tbody").querySelectorAll("button")].filter((one) => {
    const [cell, here] = [one.parentElement, from.parentElement];
    return across ? rowOf(cell) === rowOf(here) && (cell.cellIndex - here.cellIndex) * across > 0
      : cell.cellIndex === here.cellIndex && (rowOf(cell) - rowOf(here)) * down > 0;
  });
  const to = across + down > 0 ? places[0] : places.at(-1);
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}
function tell(event) {
  const one = event.target.closest?.("button[data-entry]");
  tip.hidden = !one;
  if (!one) return;
  const entry = byId.get(one.dataset.entry);
  tip.innerHTML = `<b>${escape(nameOf(entry))}</b><br><span class="${markOf(entry)}">${one.textContent}</span> ${entry.mark}<br>`
    + `law: ${entry.shown.law}<br>bound: ${boundOf(entry)}`;
  const [box, size] = [one.getBoundingClientRect(), tip.getBoundingClientRect()];
  tip.style.left = `${Math.max(4, Math.min(box.left, document.documentElement.clientWidth - size.width - 4))}px`;
  tip.style.top = `${box.bottom + size.height + 8 > innerHeight ? box.top - size.height - 6 : box.bottom + 6}px`;
}

// ---- the table
function heading() {
  table.tHead.rows[0].replaceChildren(...columns.map(([name]) => {
    const button = element("button", { type: "button" });
    const plain = plainName(name);
    button.innerHTML = name;
    button.addEventListener("click", () => change({ sort: state.sort === plain ? `-${plain}` : plain }));
    const made = element("th", { scope: "col" }, button);
    if (state.sort.replace(/^-/, "") === plain) made.setAttribute("aria-sort", state.sort === plain ? "ascending" : "descending");
    return made;
  }));
}
function row(entry) {
  const cells = columns.map(([name, show], place) => {
    if (place === 0) {
      return element("th", { scope: "row" }, element("button", { type: "button", "data-open": entry.id }, entry.problem));
    }
    const made = markup("td", place < 4 ? escape(show(entry)) : show(entry));
    made.dataset.name = plainName(name);
    if (name === "Mark") made.replaceChildren(markup("span", escape(entry.mark)));
    if (name === "Mark") made.firstChild.className = markOf(entry);
    return made;
  });
  return element("tr", {}, ...cells);
}
function draw() {
  heading();
  const found = sorted(entries.filter(wanted));
  const shown = new Set(found.map((entry) => entry.id));
  find("count").textContent = `${found.length.toLocaleString("en")} of ${entries.length.toLocaleString("en")} entries`;
  table.tBodies[0].replaceChildren(...found.map(row));
  for (const one of find("map").querySelectorAll("button")) one.classList.toggle("out", !shown.has(one.dataset.entry));
  for (const one of find("legend").querySelectorAll("button")) one.setAttribute("aria-pressed", String(!state.without.has(one.dataset.mark)));
  for (const name of ["search", ...filters]) if (find(name).value !== state[name]) find(name).value = state[name];
  const open = byId.get(state.open);
  tip.hidden = true;
  if (!open) dialog.close();
  else if (dialog.dataset.entry !== open.id || !dialog.open) {
    dialog.dataset.entry = open.id;
    find("inside").replaceChildren(...opened(open));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }
}

// ---- the address
function change(what) {
  Object.assign(state, what);
  const words = Object.entries(state).map(([name, value]) => [name, name === "without" ? [...value].join(";") : value]);
  const address = new URLSearchParams(words.filter(([, value]) => value)).toString();
  history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
  draw();
}
function follow() {
  const asked = decodeURIComponent(location.hash.slice(1));
  const words = new URLSearchParams(byId.has(asked) ? { open: asked } : location.hash.slice(1));
  for (const name of Object.keys(state)) {
    const value = words.get(name) ?? "";
    state[name] = name === "without" ? new Set(value.split(";").filter(Boolean)) : value;
  }
  draw();
}

// ---- an entry
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
  const plots = element("div", {}, curve(entry), ...(entry.ratios.length ? [ratio(entry)] : []));
  return [markup("h2", `${escape(nameOf(entry))} <small class="${markOf(entry)}">${entry.mark}</small>`),
    element("div", { class: "inside" }, plots, told), element("div", { class: "scroll" }, numbers), again];
}

// ---- plots over n, both axes logarithmic: the mean with the fitted law, and measured ÷ bound
function shape(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
function curve(entry) {
  const points = entry.cells.filter((cell) => cell.y !== null);
  const title = points.every((p) => p.complete) ? "mean evaluations" : "mean evaluations (hollow: of runs that reached the optimum)";
  return plot(`Mean evaluations over n: ${nameOf(entry)}`, title, points, "no run reached the optimum");
}
function ratio(entry) {
  const made = element("figure", {}, plot(`Measured ÷ bound over n: ${nameOf(entry)}`, "measured ÷ bound", entry.ratios, "not known"));
  made.append(markup("figcaption", `Bound: ${boundOf(entry)}. Level where the bound is tight.`));
  return made;
}
function plot(name, title, points, nothing) {
  const svg = shape("svg", { viewBox: "0 0 400 230", role: "img", "aria-label": name });
  if (!points.length) {
    svg.append(shape("text", { x: 200, y: 115, "text-anchor": "middle" }, nothing));
    return svg;
  }
  const known = points.flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y, p.law ?? p.y]).filter((value) => value > 0);
  const [bottom, top] = [Math.min(...known) / 1.5, Math.max(...known) * 1.6];
  const sizes = points.map((p) => p.n);
  const scaleOf = (least, most, from, to) => (v) => from + (to - from) * (Math.log(v / least) / (Math.log(most / least) || 1));
  const x = scaleOf(Math.min(...sizes), Math.max(...sizes), 62, 385);
  const y = scaleOf(bottom, top, 190, 22);
  svg.append(shape("path", { d: "M54 20V194H392", fill: "none", stroke: "var(--faint)" }));
  for (const n of sizes) svg.append(shape("text", { x: x(n), y: 209, "text-anchor": "middle" }, n.toLocaleString("en")));
  svg.append(shape("text", { x: 222, y: 226, "text-anchor": "middle" }, "n"));
  for (const value of ticks(bottom, top)) {
    svg.append(shape("path", { d: `M54 ${y(value)}H392`, stroke: "var(--line)" }));
    svg.append(shape("text", { x: 50, y: y(value) + 4, "text-anchor": "end" }, value < 1e5 ? value.toLocaleString("en", { maximumSignificantDigits: 3 }) : value.toExponential(0).replace("+", "")));
  }
  const law = points.filter((p) => (p.law ?? null) !== null);
  if (law.length > 1) {
    svg.append(shape("path", { d: "M" + law.map((p) => `${x(p.n)} ${y(p.law)}`).join("L"), fill: "none", stroke: "var(--warning)", "stroke-width": 1.5 }));
  }
  for (const p of points) {
    if (p.low > 0 && p.high !== null) svg.append(shape("path", { d: `M${x(p.n)} ${y(p.low)}V${y(p.high)}`, stroke: "var(--link)" }));
    svg.append(shape("circle", { cx: x(p.n), cy: y(p.y), r: 3.5, fill: p.complete === false ? "var(--card)" : "var(--link)", stroke: "var(--link)" }));
  }
  svg.append(shape("text", { x: 54, y: 13 }, title));
  return svg;
}
function ticks(bottom, top) {
  const found = [];
  for (let power = Math.floor(Math.log10(bottom)); power <= Math.log10(top); power += 1) {
    for (const digit of top / bottom > 60 ? [1] : [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (value >= bottom && value <= top) found.push(value);
    }
  }
  return found.length > 7 ? found.filter((_, place) => place % 2 === 0) : found;
}

for (const name of ["search", ...filters]) find(name).addEventListener("input", () => change({ [name]: find(name).value }));
find("clear").addEventListener("click", () => change({ search: "", problem: "", algorithm: "", init: "", without: new Set() }));
find("legend").addEventListener("click", (event) => {
  const mark = event.target.closest("button")?.dataset.mark;
  if (!mark) return;
  if (!state.without.delete(mark)) state.without.add(mark);
  change({});
});
for (const kind of ["pointerover", "focusin"]) find("map").addEventListener(kind, tell);
for (const kind of ["pointerleave", "focusout"]) find("map").addEventListener(kind, () => { tip.hidden = true; });
find("map").addEventListener("keydown", step);
document.addEventListener("click", (event) => {
  const one = event.target.closest("[data-entry], [data-open]");
  if (one && one !== dialog) change({ open: one.dataset.open ?? one.dataset.entry });
  else if (event.target === dialog || event.target.closest("#close")) change({ open: "" });
});
dialog.addEventListener("close", () => state.open && change({ open: "" }));
addEventListener("hashchange", follow);
drawMap();
follow();
