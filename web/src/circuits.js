// Circuits: genes in an array as the model has them, drawn as inputs and gates in a line. A first connection is an arc
// above the line, the others are below it.
import { counted } from "./programs.js";

const LEAST = 26; // from a node to the next
const MOST_NODES = 90; // of more, inactive gates are folded
const SIDE = 24;
const SIGNS = { and: "∧", or: "∨", xor: "⊕", nand: "⊼", nor: "⊽", not: "¬" };
const signOf = (name) => SIGNS[name] ?? name;

export class Circuits {
  static title = "Circuit";

  static signs = [
    ["active", "active"],
    ["idle", "inactive"],
    ["new", "new"],
    ["taken", "gone"],
    ["refused", "rejected"],
  ];

  constructor({ inputs, gates, connections, takes, functions }) {
    Object.assign(this, { inputs, gates, takes, functions, width: connections + 1 });
  }

  read(genes) {
    return genes;
  }

  changed(genes, numbers) {
    const copy = genes.slice();
    for (let i = 0; i < numbers.length; i += 2) copy[numbers[i]] = numbers[i + 1];
    return copy;
  }

  // Of each node, whether a path leads from it to the output.
  active(genes) {
    const found = new Array(this.inputs.length + this.gates).fill(false);
    const waiting = [genes.at(-1)];
    while (waiting.length) {
      const node = waiting.pop();
      if (found[node]) continue;
      found[node] = true;
      if (node >= this.inputs.length) waiting.push(...this.feeding(genes, node - this.inputs.length));
    }
    return found;
  }

  feeding(genes, gate) {
    const at = gate * this.width;
    return genes.slice(at + 1, at + 1 + this.takes[genes[at]]);
  }

  size(genes) {
    return this.active(genes).slice(this.inputs.length).filter(Boolean).length;
  }

  name(node) {
    return node < this.inputs.length ? this.inputs[node] : `#${node - this.inputs.length + 1}`;
  }

  text(genes) {
    const gates = Array.from({ length: this.gates }, (_, gate) => {
      const at = gate * this.width;
      const connected = genes.slice(at + 1, at + this.width).map((node) => this.name(node));
      return `${this.functions[genes[at]]}(${connected.join()})`;
    });
    return `${gates.join(" ")} > ${this.name(genes.at(-1))}`;
  }

  draw(svg, { accepted, program }, { width, height, unfolded }) {
    const { parent, offspring, shown, changes } = program;
    const active = this.active(shown);
    const both = [this.active(parent), this.active(offspring)];
    const total = active.length;
    const canFold = total > MOST_NODES;
    const isShown = (node) => !canFold || unfolded || node < this.inputs.length || both[0][node] || both[1][node];
    const nodes = active.map((_, node) => node).filter(isShown);
    const step = Math.max(LEAST, (width - 2 * SIDE) / (nodes.length + 1));
    const wide = Math.max(width, 2 * SIDE + step * (nodes.length + 1));
    const x = new Map(nodes.map((node, place) => [node, SIDE + step * (place + (node < this.inputs.length ? 0.5 : 1))]));
    const end = wide - SIDE;
    const middle = height / 2 - 6;
    const radius = Math.min(15, step * 0.4);
    const reach = (middle - radius - 14) / (wide / 2);
    const arc = (from, to, place) => {
      const tall = Math.max(radius + 8, Math.min((to - from) / 2, middle - 8, ((to - from) / 2) * Math.max(reach, 0.35)));
      const side = place === 1 ? -1 : 1;
      return `M${from},${middle + side * radius * 0.6}A${(to - from) / 2},${tall} 0 0,${place === 1 ? 1 : 0} ${to},${middle + side * radius * 0.6}`;
    };
    const links = { idle: "", active: "", new: "", gone: "" };
    const add = (kind, from, gate, place) => {
      const to = gate === this.gates ? end : x.get(gate + this.inputs.length);
      if (x.has(from) && to !== undefined) links[kind] += gate === this.gates ? output(x.get(from), to, middle, radius) : arc(x.get(from), to, place);
    };
    const touched = new Map(); // gate -> whether its function has changed
    const changed = new Set();
    for (let i = 0; i < changes.length; i += 2) {
      const gate = Math.floor(changes[i] / this.width);
      changed.add(changes[i]);
      touched.set(gate, touched.get(gate) || (gate < this.gates && changes[i] % this.width === 0));
    }
    for (let gate = 0; gate <= this.gates; gate++) {
      const node = gate + this.inputs.length;
      if (gate < this.gates && !x.has(node)) continue;
      const isOn = gate === this.gates || active[node];
      const count = gate === this.gates ? 0 : this.takes[shown[gate * this.width]];
      for (let place = gate === this.gates ? 0 : 1; place <= count; place++) {
        const gene = gate * this.width + place;
        if (!changed.has(gene) || !accepted) add(isOn ? "active" : "idle", shown[gene], gate, place);
        if (changed.has(gene)) add("new", offspring[gene], gate, place);
        if (changed.has(gene) && accepted) add("gone", parent[gene], gate, place);
      }
    }
    const verdict = accepted ? "accepted" : "rejected";
    svg.selectAll("*").remove();
    for (const [kind, path] of Object.entries(links)) {
      if (path) svg.append("path").attr("class", `link ${kind} ${verdict}`).attr("d", path);
    }
    for (const node of nodes) this.drawNode(svg, { node, x: x.get(node), y: middle, radius, program, verdict, isOn: active[node], touched });
    svg.append("path").attr("class", `wire-end ${touched.has(this.gates) ? `changed ${verdict}` : ""}`).attr("d", `M${end},${middle - 6}L${end + 11},${middle}L${end},${middle + 6}Z`);
    const hidden = total - nodes.length;
    const folded = hidden ? `, ${counted(hidden, "inactive gate")} not drawn` : "";
    if (hidden) svg.append("text").attr("class", "folded-words").attr("x", SIDE).attr("y", height - 8).text(`${counted(hidden, "inactive gate")} not drawn`);
    return { width: wide, height, canFold, label: `Circuit with ${counted(this.size(shown), "active gate")} of ${this.gates}${folded}` };
  }

  drawNode(svg, { node, x, y, radius, program, verdict, isOn, touched }) {
    const gate = node - this.inputs.length;
    const isMutated = gate >= 0 && touched.has(gate);
    const kind = `${gate < 0 ? "input" : "gate"} ${isOn ? "active" : "idle"} ${isMutated ? `changed ${verdict}` : ""}`;
    const group = svg.append("g").attr("class", `node ${kind}`).attr("data-node", node).attr("transform", `translate(${x},${y})`);
    const r = radius;
    group.append("path").attr("class", "shape").attr("d", gate < 0 ? `M${-r},0A${r},${r} 0 1,1 ${r},0A${r},${r} 0 1,1 ${-r},0Z` : `M${-r},${-r * 0.85}H${r}V${r * 0.85}H${-r}Z`);
    group.append("title").text(this.title(node, program.shown, isOn));
    const name = group.append("text").attr("class", "name").attr("dy", r * 0.35).attr("font-size", Math.max(8, r * 0.95));
    if (gate >= 0) name.text(signOf(this.functions[program.shown[gate * this.width]]));
    else {
      const [, letter, below] = this.inputs[node].match(/^(x\u0304?)(\d+)$/) ?? [null, this.inputs[node], ""];
      name.text(letter);
      name.append("tspan").attr("class", "index").attr("dy", r * 0.2).text(below);
    }
    if (gate >= 0) group.append("text").attr("class", "place").attr("dy", r + 11).attr("font-size", 10).text(gate + 1);
    if (touched.get(gate)) {
      const at = gate * this.width;
      const words = [program.parent[at], program.offspring[at]].map((place) => signOf(this.functions[place]));
      group.append("text").attr("class", "sign").attr("dy", -r - 4).attr("font-size", 12).text(words.join(" → "));
    }
  }

  title(node, genes, isOn) {
    if (node < this.inputs.length) return `${this.inputs[node]}, ${isOn ? "used" : "not used"}`;
    const gate = node - this.inputs.length;
    const feeding = this.feeding(genes, gate).map((one) => this.name(one));
    return `gate ${gate + 1}: ${this.functions[genes[gate * this.width]]} of ${feeding.join(", ")}, ${isOn ? "active" : "inactive"}`;
  }
}

// The output runs straight from below its node to the end of the line.
function output(from, to, middle, radius) {
  const low = middle + radius + 22;
  return `M${from},${middle + radius * 0.85}L${from},${low - 6}Q${from},${low} ${from + 6},${low}H${Math.max(from + 6, to - 6)}Q${to},${low} ${to},${middle}`;
}
