// A run with several trees: its changes one after the other, each with the population after it.
const data = JSON.parse(document.querySelector("#data").textContent);
const find = (name) => document.querySelector(name);
const SVG = "http://www.w3.org/2000/svg";
const FPS = 6;
const MOST_DRAWN = 200; // leaves of a tree

// The population after each change.
const populations = [];
for (const [, , came, gone] of data.changes) {
  const before = populations.at(-1) ?? [];
  populations.push([...before.filter((one) => !gone.includes(one)), ...came].sort(bySize));
}
const sign = data.is_smaller_better ? -1 : 1;
const bestOf = (population) => Math.max(...population.map((one) => data.members[one][0] * sign));

let at = 0;
let chosen = null; // a member, while it is kept
let timer = null;

function bySize(a, b) {
  return data.members[a][1] - data.members[b][1] || data.members[a][0] - data.members[b][0] || a - b;
}

function element(kind, attributes = {}, ...children) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function drawn(kind, attributes, text = "") {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

const number = (value) => Number(value.toPrecision(6)).toLocaleString("en");

// ---- the place

function go(place) {
  at = Math.min(Math.max(place, 0), data.changes.length - 1);
  const [evaluations, words, came] = data.changes[at];
  if (!populations[at].includes(chosen)) chosen = came.at(-1) ?? populations[at].at(-1);
  if (came.length) chosen = came.at(-1);
  find("#place").value = at;
  find("#place-text").textContent = `${(at + 1).toLocaleString("en")} of ${data.changes.length.toLocaleString("en")}`;
  find("#words").textContent = `Evaluation ${evaluations.toLocaleString("en")}: ${words}`;
  if (at === data.changes.length - 1) pause();
  show();
}

function show() {
  showScatter();
  showTable();
  showTree();
}

function choose(member) {
  chosen = member;
  show();
}

// ---- fitness against leaves

const WIDE = 460;
const HIGH = 300;
const LEFT = 46;
const BELOW = 34;
const shown = [...data.members.map(([fitness, leaves]) => [leaves, fitness]), ...data.front];
const [leastX, mostX] = ends(shown.map(([leaves]) => leaves));
const [leastY, mostY] = ends(shown.map(([, fitness]) => fitness));

function ends(values) {
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  return least === most ? [least - 1, most + 1] : [least, most];
}

const x = (leaves) => LEFT + 12 + ((leaves - leastX) / (mostX - leastX)) * (WIDE - LEFT - 28);
const y = (fitness) => HIGH - BELOW - 12 - ((fitness - leastY) / (mostY - leastY)) * (HIGH - BELOW - 28);

function ticks(least, most) {
  const rough = (most - least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const found = [];
  for (let value = Math.ceil(least / step) * step; value <= most + step / 1e6; value += step) found.push(value);
  return found.filter((value) => Number.isInteger(value) || !Number.isInteger(most));
}

function showScatter() {
  const [, , came, gone] = data.changes[at];
  const name = `${populations[at].length} trees, fitness against leaves`;
  const svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": name });
  for (const value of ticks(leastX, mostX)) {
    svg.append(drawn("line", { class: "grid", x1: x(value), x2: x(value), y1: 6, y2: HIGH - BELOW }));
    svg.append(drawn("text", { x: x(value), y: HIGH - BELOW + 14, "text-anchor": "middle" }, number(value)));
  }
  for (const value of ticks(leastY, mostY)) {
    svg.append(drawn("line", { class: "grid", x1: LEFT, x2: WIDE - 6, y1: y(value), y2: y(value) }));
    svg.append(drawn("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, number(value)));
  }
  svg.append(drawn("text", { class: "soft", x: (WIDE + LEFT) / 2, y: HIGH - 4, "text-anchor": "middle" }, "leaves"));
  const label = `fitness${data.is_smaller_better ? ", smaller is better" : ""}`;
  svg.append(drawn("text", { class: "soft", transform: `translate(12 ${(HIGH - BELOW) / 2}) rotate(-90)`, "text-anchor": "middle" }, label));
  for (const [leaves, fitness] of data.front) {
    svg.append(drawn("rect", { class: "dot front", x: x(leaves) - 8, y: y(fitness) - 8, width: 16, height: 16 }));
  }
  for (const one of gone) svg.append(dot(one, "gone"));
  for (const one of populations[at]) {
    const made = dot(one, `${came.includes(one) ? "new" : ""} ${one === chosen ? "chosen" : ""}`);
    made.addEventListener("click", () => choose(one));
    svg.append(made);
  }
  find("#scatter").replaceChildren(svg);
}

function dot(one, kind) {
  const [fitness, leaves] = data.members[one];
  const made = drawn("circle", { class: `dot ${kind}`, cx: x(leaves), cy: y(fitness), r: 5 });
  made.append(drawn("title", {}, `fitness ${number(fitness)}, ${leaves} leaves`));
  return made;
}

// ---- the trees

function showTable() {
  const [, , came] = data.changes[at];
  find("#members").replaceChildren(
    ...populations[at].map((one) => {
      const [fitness, leaves, text] = data.members[one];
      const button = element("button", { type: "button", "aria-pressed": String(one === chosen) }, data.trees[text] || "the empty tree");
      const row = element("tr", { class: `${came.includes(one) ? "new" : ""} ${one === chosen ? "chosen" : ""}` });
      row.append(element("td", {}, number(fitness)), element("td", {}, String(leaves)), element("td", {}, button));
      row.addEventListener("click", () => choose(one));
      return row;
    }),
  );
}

// The text of a tree: a terminal, or functions and arguments in brackets; of two arguments the join J is not written.
function parsed(text) {
  const tokens = text.match(/[()]|[^()\s]+/g) ?? [];
  let place = 0;
  function one() {
    const token = tokens[place++];
    if (token !== "(") return { name: token, children: [] };
    const isNamed = tokens[place] !== "(" && functionsOf.has(tokens[place]) && tokens[place + 1] !== ")";
    const name = isNamed ? tokens[place++] : "";
    const children = [];
    while (tokens[place] !== ")") children.push(one());
    place++;
    return { name, children };
  }
  return tokens.length && text !== "()" ? one() : null;
}
const functionsOf = new Set(data.functions);

function showTree() {
  const [fitness, leaves, text] = data.members[chosen];
  find("#tree-title").textContent = `The chosen tree: fitness ${number(fitness)}, ${leaves} ${leaves === 1 ? "leaf" : "leaves"}`;
  const root = parsed(data.trees[text]);
  if (!root || leaves > MOST_DRAWN) {
    find("#tree").replaceChildren(element("p", {}, root ? "Too large to be drawn; its text is below." : "The empty tree."));
    return;
  }
  let next = 0;
  let deepest = 0;
  (function lay(node, depth) {
    deepest = Math.max(deepest, depth);
    node.depth = depth;
    for (const child of node.children) lay(child, depth + 1);
    node.x = node.children.length ? (node.children[0].x + node.children.at(-1).x) / 2 : next++;
  })(root, 0);
  const across = 34;
  const wide = Math.max(next * across, 240);
  const shift = (wide - next * across) / 2 + across / 2;
  const svg = drawn("svg", { viewBox: `0 0 ${wide} ${deepest * 34 + 40}`, role: "img", "aria-label": data.trees[text] });
  svg.style.maxHeight = "26rem";
  svg.style.maxWidth = `${1.4 * wide}px`;
  const px = (node) => shift + node.x * across;
  const py = (node) => 20 + node.depth * 34;
  (function draw(node) {
    for (const child of node.children) {
      svg.append(drawn("line", { class: "edge", x1: px(node), y1: py(node), x2: px(child), y2: py(child) }));
      draw(child);
    }
    if (node.children.length && !node.name) svg.append(drawn("circle", { class: "join", cx: px(node), cy: py(node), r: 4 }));
    else svg.append(...labelled(node, px(node), py(node)));
  })(root);
  find("#tree").replaceChildren(svg);
}

function labelled(node, cx, cy) {
  const isBar = node.name.startsWith("!");
  const name = isBar ? node.name.slice(1).replace(/^x/, "x\u0304") : node.name;
  const kind = node.children.length ? "function" : isBar ? "bar" : "";
  const box = { class: `leaf ${kind}`, x: cx - 14, y: cy - 11, width: 28, height: 22, rx: isBar ? 2 : 11 };
  return [drawn("rect", box), drawn("text", { x: cx, y: cy + 4, "text-anchor": "middle" }, name)];
}

// ---- moving

function pause() {
  clearInterval(timer);
  timer = null;
  find('[data-do="play"]').textContent = "Play";
}

function play() {
  if (timer !== null) return pause();
  if (at === data.changes.length - 1) go(0);
  find('[data-do="play"]').textContent = "Pause";
  timer = setInterval(() => go(at + 1), 1000 / FPS);
}

function better() {
  const now = bestOf(populations[at]);
  const place = populations.findIndex((one, other) => other > at && bestOf(one) > now);
  go(place < 0 ? data.changes.length - 1 : place);
}

function still(move) {
  return () => {
    pause();
    move();
  };
}

function toggleTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}

const actions = {
  first: still(() => go(0)),
  back: still(() => go(at - 1)),
  play,
  next: still(() => go(at + 1)),
  better: still(better),
  last: still(() => go(Infinity)),
};
const keys = { Home: "first", ArrowLeft: "back", " ": "play", ArrowRight: "next", i: "better", End: "last" };

find(".moves").addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) actions[button.dataset.do]();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches?.("input, summary")) return;
  if (event.key === " " && event.target.matches?.("button")) return;
  if (event.key === "d") toggleTheme();
  if (!(event.key in keys)) return;
  event.preventDefault();
  actions[keys[event.key]]();
});
find("#place").max = data.changes.length - 1;
find("#place").addEventListener("input", (event) => {
  pause();
  go(Number(event.target.value));
});
find("#theme").addEventListener("click", toggleTheme);
find("#name").textContent = data.title;
find("#end").textContent = [data.selection, data.end.words, data.contents].map((words) => `${words[0].toUpperCase()}${words.slice(1)}.`).join(" ");
find("#front-sign").hidden = !data.front.length;
find("#definitions").append(...data.definitions.flatMap(([title, words]) => [element("dt", {}, title), element("dd", {}, words)]));
go(0);
