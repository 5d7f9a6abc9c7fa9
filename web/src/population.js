// A run with several trees: its changes one after the other, and the population after each, as dots and as a table.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { brief, fitness as written, whole } from "./numbers.js";
import { Notes, drawnLeaves, picture } from "./picture.js";
import { HEIGHT, MARGIN, axisBelow, frame, ticks } from "./plots.js";
import { element } from "./rich.js";
import { Terminals } from "./terminals.js";
import { Timeline, lastUpTo } from "./timeline.js";

const LABELS = ["evaluations", "best fitness", "its leaves", "trees", "change"];
const NOBODY = new Set();
const plural = (count, name, names = `${name}s`) => `${whole(count)} ${count === 1 ? name : names}`;

export class PopulationRun extends Timeline {
  constructor() {
    super();
    this.captions = LABELS.slice(1, 3);
    this.trees = []; // [text, standings of its leaves from left to right]
    this.members = []; // [fitness, leaves, place of its tree]
    this.changes = []; // [evaluations, words, members that came, that went, parent]
    this.populations = []; // after each change
    this.place = -1; // of the change on show
    this.chosen = null; // a member of the population on show
  }

  take(piece) {
    super.take(piece);
    this.trees.push(...(piece.trees ?? []));
    this.members.push(...(piece.members ?? []));
    for (const change of piece.changes ?? []) this.addChange(change);
  }

  addChange(change) {
    const [evaluations, , came, gone] = change;
    const before = this.populations.at(-1) ?? [];
    const population = [...before.filter((member) => !gone.includes(member)), ...came];
    const bySize = (a, b) => this.members[a][1] - this.members[b][1] || this.members[a][0] - this.members[b][0] || a - b;
    population.sort(bySize);
    this.changes.push(change);
    this.populations.push(population);
    const [fitness, leaves] = this.members[this.bestOf(population)];
    const isBetter = before.length > 0 && this.score(fitness) > this.score(this.members[this.bestOf(before)][0]);
    this.addPoint([evaluations, fitness, leaves, isBetter ? 1 : 0]);
  }

  score(fitness) {
    return this.start.is_smaller_better ? -fitness : fitness;
  }

  // The smallest of the best.
  bestOf(population) {
    return population.reduce((best, one) => (this.score(this.members[one][0]) > this.score(this.members[best][0]) ? one : best));
  }

  has() {
    return true;
  }

  isHere() {
    return true;
  }

  prefetch() {}

  // A step is a change.
  moved(t, steps) {
    const place = lastUpTo(this.changes, t);
    const isBetween = steps < 0 && t > this.changes[place][0];
    const next = place + steps + (isBetween ? 1 : 0);
    return next < this.changes.length ? this.changes[Math.max(0, next)][0] : this.last;
  }

  async nextAccepted(t) {
    return this.changes.find(([evaluations]) => evaluations > t)?.[0] ?? null;
  }

  // The newest tree is chosen unless the reader has chosen another that is still there.
  choose(place) {
    const population = this.populations[place];
    const came = this.changes[place][2];
    if (place === this.place && population.includes(this.chosen)) return;
    if (came.length || !population.includes(this.chosen)) this.chosen = came.at(-1) ?? population.at(-1);
    this.place = place;
  }

  // The frame of evaluation t: the population, and the chosen tree as a run of one tree has it.
  frame(t) {
    const { functions, leaf_standings: ofLeaf, legend, names, variables } = this.start;
    const place = lastUpTo(this.changes, t);
    this.choose(place);
    const [evaluations, words, came, gone, parent] = this.changes[place];
    const terminals = new Terminals(names);
    const [fitness, leaves, tree] = this.members[this.chosen];
    const [text, standings] = this.trees[tree];
    const drawn = picture(parse(text, functions, terminals), new Notes());
    const marks = drawnLeaves(drawn).map(({ id }, i) => [id, ofLeaf[standings[i] ?? 0]]);
    return {
      t,
      step: null,
      accepted: true,
      picture: drawn,
      touched: NOBODY,
      leaves,
      words: evaluations < t ? `as after evaluation ${whole(evaluations)}` : words,
      verdict: "",
      text: () => text,
      standings: new Map(marks),
      rows: [],
      lanes: ofLeaf.filter((standing) => standing in legend),
      digits: terminals.longest(variables),
      functions,
      terminals,
      title: `The chosen tree: fitness ${written(fitness)}, ${plural(leaves, "leaf", "leaves")}`,
      numbers: this.numbersAt(t, place),
      population: { members: this.populations[place], came, gone: evaluations < t ? [] : gone, parent },
    };
  }

  numbersAt(t, place) {
    const [, fitness, leaves] = this.points[place];
    const of = this.start.is_smaller_better ? ", best" : " of";
    const best = `${written(fitness)}${of} ${written(this.start.best)}`;
    const changes = `${whole(place + 1)} of ${whole(this.changes.length)}`;
    return [whole(t), best, whole(leaves), whole(this.populations[place].length), changes];
  }
}

// The scatter and the table of a panel; a click on a dot or a row chooses a tree.
export class PopulationView {
  constructor(panel, run, onChoose) {
    const find = (name) => panel.querySelector(name);
    this.run = run;
    this.onChoose = onChoose;
    this.svg = select(find(".scatter")).append("svg").attr("role", "img");
    this.rows = find(".members tbody");
    panel.classList.add("several");
    panel.querySelectorAll(".numbers dt").forEach((label, i) => (label.textContent = LABELS[i]));
    for (const part of panel.querySelectorAll(".dots-box, .members")) part.hidden = false;
    find(".front-sign").hidden = !run.start.front.length;
    new ResizeObserver(() => this.frame && this.draw()).observe(find(".scatter"));
  }

  show(frame) {
    this.frame = frame;
    this.draw();
    this.drawTable();
  }

  draw() {
    const { svg, run } = this;
    const { members, came, gone, parent } = this.frame.population;
    const width = frame(svg, HEIGHT);
    if (!width) return;
    const shown = [...run.members.map(([fitness, leaves]) => [leaves, fitness]), ...run.start.front];
    const scale = (place, range) => {
      const values = shown.map((pair) => pair[place]);
      const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
      const room = (most - least || 2) * 0.06;
      return scaleLinear().domain([least - room, most + room]).range(range);
    };
    const x = scale(0, [MARGIN.left, width - MARGIN.right]);
    const y = scale(1, [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const format = (value) => (Number.isInteger(value) || !Number.isInteger(shown[0][1]) ? brief(value) : "");
    axisBelow(svg, HEIGHT, ticks(axisBottom(x), x, Math.max(2, width / 80), (value) => (Number.isInteger(value) ? brief(value) : "")), "leaves", width - MARGIN.right);
    svg.append("g").attr("class", "axis").attr("transform", `translate(${MARGIN.left},0)`).call(ticks(axisLeft(y), y, 4, format));
    svg.append("text").attr("class", "caption").attr("y", 10).text(run.start.is_smaller_better ? "fitness, smaller is better" : "fitness");
    svg.attr("aria-label", `${plural(members.length, "tree")}, fitness against leaves`);
    for (const [leaves, fitness] of run.start.front) {
      svg.append("rect").attr("class", "dot front").attr("x", x(leaves) - 8).attr("y", y(fitness) - 8).attr("width", 16).attr("height", 16);
    }
    const at = (member) => [x(run.members[member][1]), y(run.members[member][0])];
    for (const member of parent < 0 ? [] : came) {
      const [[x1, y1], [x2, y2]] = [at(parent), at(member)];
      svg.append("path").attr("class", "descent").attr("d", `M${x1},${y1}L${x2},${y2}`);
    }
    const dot = (member, kind) => {
      const [cx, cy] = at(member);
      const [fitness, leaves] = run.members[member];
      const circle = svg.append("circle").attr("class", `dot ${kind}`).attr("cx", cx).attr("cy", cy).attr("r", 5.5);
      circle.append("title").text(`fitness ${written(fitness)}, ${plural(leaves, "leaf", "leaves")}`);
      return circle;
    };
    for (const member of gone) dot(member, "gone");
    for (const member of members) dot(member, this.kindOf(member)).on("click", () => this.choose(member));
  }

  kindOf(member) {
    const kinds = [this.frame.population.came.includes(member) && "new", member === this.run.chosen && "chosen"];
    return kinds.filter(Boolean).join(" ");
  }

  drawTable() {
    const { run } = this;
    this.rows.replaceChildren(
      ...this.frame.population.members.map((member) => {
        const [fitness, leaves, tree] = run.members[member];
        const button = element("button", run.trees[tree][0]);
        Object.assign(button, { type: "button", ariaPressed: String(member === run.chosen) });
        const row = element("tr", element("td", written(fitness)), element("td", whole(leaves)), element("td", button));
        row.className = this.kindOf(member);
        row.addEventListener("click", () => this.choose(member));
        return row;
      }),
    );
  }

  choose(member) {
    this.run.chosen = member;
    this.onChoose();
  }
}

// The tree of a text: a terminal, or functions and arguments in brackets; of two arguments the join J is not written.
function parse(text, functions, terminals) {
  const tokens = text.match(/[()]|[^()\s]+/g) ?? [];
  const stack = [{ children: [] }];
  tokens.forEach((token, place) => {
    if (token === "(") {
      const node = { id: place + 1, code: -1, children: [] };
      stack.at(-1).children.push(node);
      stack.push(node);
    } else if (token === ")") stack.pop();
    else if (tokens[place - 1] === "(" && functions.includes(token) && tokens[place + 1] !== ")") {
      stack.at(-1).code = -1 - functions.indexOf(token);
    } else stack.at(-1).children.push({ id: place + 1, code: terminals.code(token), children: [] });
  });
  return text === "()" ? null : stack[0].children[0];
}
