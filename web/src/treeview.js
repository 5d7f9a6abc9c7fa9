// The tree as a picture that can be moved and enlarged: SVG for what an eye can take in, a canvas for thousands of nodes.
import { select } from "d3-selection";
import { zoom as makeZoom, zoomIdentity } from "d3-zoom";
import { layout } from "./layout.js";
import { realCode } from "./picture.js";
import { isBar } from "./terminals.js";
import { isLeaf } from "./tree.js";

const MOST_SVG_NODES = 900;
const FONT = [1, 1.05, 0.92, 0.76, 0.62]; // of the radius, by the digits of the index
const SIGNS = { new: "+", gone: "−", fleeting: "±" };

export class TreeView {
  constructor(element, toolbar) {
    this.element = element;
    this.choices = new Map();
    this.unfolded = false;
    this.isFitted = true;
    this.frame = null;
    this.svg = select(element).append("svg").attr("class", "tree").attr("role", "img");
    this.scene = this.svg.append("g");
    this.links = this.scene.append("g").attr("class", "links");
    this.marks = this.scene.append("g").attr("class", "nodes");
    this.canvas = select(element).append("canvas").attr("class", "tree").attr("role", "img").node();
    this.zoom = makeZoom()
      .scaleExtent([0.005, 8])
      .filter(isMeant)
      .on("zoom", ({ transform, sourceEvent }) => {
        this.transform = transform;
        if (sourceEvent) this.isFitted = false;
        this.applyTransform();
      });
    this.transform = zoomIdentity;
    this.area = select(element).call(this.zoom).on("dblclick.zoom", null);
    element.addEventListener("click", (event) => this.onClick(event));
    this.buttons = toolbar;
    toolbar.in.addEventListener("click", () => this.enlarge(1.4));
    toolbar.out.addEventListener("click", () => this.enlarge(1 / 1.4));
    toolbar.fit.addEventListener("click", () => this.fit());
    toolbar.fold.addEventListener("click", () => this.toggleFolding());
    this.measure();
    new ResizeObserver(() => {
      this.measure();
      if (this.frame) this.draw();
    }).observe(element);
  }

  // Asked only when it may have changed: asking makes the browser lay out the page, at every step.
  measure() {
    this.size = { width: this.element.clientWidth, height: this.element.clientHeight };
  }

  enlarge(factor) {
    this.isFitted = false;
    this.area.call(this.zoom.scaleBy, factor);
  }

  fit() {
    this.isFitted = true;
    this.choices.clear();
    if (this.frame) this.draw();
  }

  toggleFolding() {
    this.unfolded = !this.unfolded;
    this.fit();
  }

  show(frame) {
    this.frame = frame;
    this.draw();
  }

  draw() {
    if (!this.size.width) this.measure();
    const { width, height } = this.size;
    if (!width || !height) return;
    const { unfolded, choices } = this;
    const { digits } = this.frame;
    this.layout = layout(this.frame.picture, this.frame.touched, { width, height, unfolded, choices, digits });
    const couldFold = this.layout.foldedCount > 0 || unfolded;
    this.buttons.fold.hidden = !couldFold;
    this.buttons.fold.textContent = unfolded ? "Fold" : "Show all";
    this.buttons.fold.setAttribute("aria-pressed", String(unfolded));
    this.isSvg = this.layout.nodes.length <= MOST_SVG_NODES;
    this.tints = this.layout.foldedCount || !this.isSvg ? tints(this.frame.picture, this.frame.standings) : new Map();
    this.svg.style("display", this.isSvg ? "block" : "none").attr("viewBox", [0, 0, width, height]); // for paper
    this.canvas.style.display = this.isSvg ? "none" : "block";
    const label = this.label();
    (this.isSvg ? this.svg.node() : this.canvas).setAttribute("aria-label", label);
    if (this.isSvg) this.drawSvg();
    if (this.isFitted) {
      const k = Math.min(1, (width - 8) / this.layout.width, (height - 20) / this.layout.height);
      const x = (width - k * this.layout.width) / 2;
      const y = Math.max(6, (height - k * this.layout.height) / 3);
      this.area.call(this.zoom.transform, zoomIdentity.translate(x, y).scale(k));
    } else {
      this.applyTransform();
    }
  }

  label() {
    const { frame } = this;
    const folded = this.layout.foldedCount ? `, ${this.layout.foldedCount} subtrees folded` : "";
    return `Tree with ${frame.leaves} leaves${folded}. ${frame.words}. ${frame.verdict}`;
  }

  applyTransform() {
    if (!this.layout) return;
    if (this.isSvg) this.scene.attr("transform", this.transform);
    else this.drawCanvas();
  }

  drawSvg() {
    const { nodes, radius } = this.layout;
    const { accepted, terminals } = this.frame;
    const font = functionFont(radius);
    const named = (place) => (place.folded ? "" : this.functionOf(place.node));
    this.links
      .selectAll("path")
      .data(nodes.filter((place) => place.parent), (place) => place.node.id)
      .join("path")
      .attr("class", (place) => `link ${linkPart(place)} ${accepted ? "accepted" : "rejected"}`)
      .attr("d", ({ x, y, parent }) => `M${x},${y}C${x},${(y + parent.y) / 2} ${parent.x},${(y + parent.y) / 2} ${parent.x},${parent.y}`);
    const groups = this.marks
      .selectAll("g.node")
      .data(nodes, (place) => place.node.id)
      .join((enter) => {
        const group = enter.append("g");
        group.append("title");
        group.append("path").attr("class", "shape");
        group.append("text").attr("class", "name");
        group.append("text").attr("class", "sign");
        return group;
      });
    groups
      .attr("transform", ({ x, y }) => `translate(${x},${y})`)
      .attr("class", (place) => `node ${this.classes(place)}`)
      .attr("data-id", ({ node }) => node.id)
      .attr("data-parent", ({ parent }) => (parent ? parent.node.id : ""))
      .attr("data-side", ({ node, parent }) => (parent ? sideOf(node, parent.node.children) : ""))
      .attr("data-part", ({ node }) => node.part)
      .attr("data-code", ({ node }) => node.code)
      .attr("data-before", ({ node }) => node.before);
    groups.select("title").text((place) => this.title(place));
    groups.select(".shape").attr("d", (place) => (named(place) ? pill(named(place), font) : shape(place, radius, accepted)));
    groups
      .select(".name")
      .attr("font-size", (place) => {
        if (named(place)) return font;
        return place.folded ? Math.max(9, radius * 0.85) : radius * this.fontOf(place.node);
      })
      .attr("dy", (place) => (named(place) ? font * 0.33 : place.folded ? radius * 2.75 : radius * 0.3))
      .each(function name(place) {
        writeName(this, place, accepted, named(place), terminals);
      });
    groups
      .select(".sign")
      .attr("font-size", Math.max(12, radius))
      .attr("dy", (place) => (named(place) ? -font : -radius - 3))
      .text(({ node, folded }) => {
        if (isLeaf(node)) return changeSign(node, this.frame.terminals);
        return !folded && change(node) === "changed" ? `${this.functionNamed(node.before)} → ${this.functionNamed(node.code)}` : "";
      });
  }

  // Of the radius, by what stands on a leaf: an index, or a name.
  fontOf(node) {
    const [sign, index] = this.frame.terminals.parts(Math.max(node.code, node.before));
    return index ? FONT[Math.min(index.length, FONT.length - 1)] : Math.min(1, 2.6 / Math.max(1, sign.length));
  }

  // The name of a join's function; J has none.
  functionOf(node) {
    return isLeaf(node) ? "" : this.functionNamed(realCode(node, this.frame.accepted));
  }

  functionNamed(code) {
    return this.frame.functions[-1 - code];
  }

  classes({ node, folded }) {
    const { accepted, standings } = this.frame;
    if (folded) return `folded ${this.tints.get(node.id)}`;
    const verdict = accepted ? "accepted" : "rejected";
    if (!isLeaf(node)) return `join ${change(node)} ${this.functionOf(node) ? "named " : ""}${verdict}`;
    const standing = standings.get(node.id) ?? "none";
    return `leaf ${change(node)} ${standing} ${isBar(realCode(node, accepted)) ? "bar" : "plain"} ${verdict}`;
  }

  title({ node, folded }) {
    const { accepted, standings, terminals } = this.frame;
    if (folded) {
      const most = this.tints.get(node.id);
      return `a subtree of ${folded === 1 ? "1 leaf" : `${folded} leaves`}${most && `, most of them ${most}`}: click to open it`;
    }
    if (!isLeaf(node)) return `${this.functionOf(node) || "a join"}: click to fold it`;
    const parts = [terminals.spoken(realCode(node, accepted)), standings.get(node.id)];
    if (node.part === "new") parts.push(accepted ? "new" : "would be new");
    if (node.part === "gone") parts.push(accepted ? "gone" : "would go");
    if (node.isReplaced) parts.push(`${accepted ? "was" : "would become"} ${terminals.spoken(accepted ? node.before : node.code)}`);
    return parts.filter(Boolean).join(", ");
  }

  drawCanvas() {
    const { canvas, element, transform } = this;
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = this.size;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    const colours = palette(element);
    const { nodes, radius } = this.layout;
    const { accepted, standings, touched } = this.frame;
    const { x: dx, y: dy, k } = transform;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const isIn = (x, y) => x > -40 && x < width + 40 && y > -40 && y < height + 40;
    context.lineWidth = Math.max(0.4, Math.min(1.5, k * 1.5));
    for (const tint of new Set(this.tints.values())) {
      context.strokeStyle = colours[tint] ?? colours.link;
      context.beginPath();
      for (const { node, x, y, parent } of nodes) {
        if (!parent || this.tints.get(node.id) !== tint) continue;
        const [ax, ay, bx, by] = [x * k + dx, y * k + dy, parent.x * k + dx, parent.y * k + dy];
        if (Math.max(ax, bx) < 0 || Math.min(ax, bx) > width || by > height || ay < 0) continue;
        context.moveTo(ax, ay);
        context.lineTo(bx, ay === by ? by : ay - (ay - by) * 0.5);
        context.lineTo(bx, by);
      }
      context.stroke();
    }
    const r = radius * k;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const place of nodes) {
      const { node } = place;
      const [x, y] = [place.x * k + dx, place.y * k + dy];
      if (!isIn(x, y)) continue;
      if (!isLeaf(node) && !place.folded) {
        if (r > 5.5 && this.functionOf(node)) this.writeFunction(context, colours, node, x, y, r);
        continue;
      }
      const standing = standings.get(node.id);
      const isTouched = touched.has(node.id);
      if (r < 3) {
        // Too small for a sign: expressed ones are long lines, blocking ones dots on a stem, hidden ones short lines.
        const length = standing === "expressed" ? 9 : standing === "blocking" ? 6 : 3;
        context.fillStyle = colours[standing] ?? colours.hidden;
        context.fillRect(x - Math.max(0.4, r / 2), y, Math.max(0.8, r), length);
      } else {
        context.beginPath();
        if (isBar(realCode(node, accepted))) context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
        else context.arc(x, y, r, 0, 7);
        context.fillStyle = standing === "expressed" ? colours.expressed : colours.ground;
        context.strokeStyle = colours[standing] ?? colours.hidden;
        context.lineWidth = standing === "hidden" ? 0.8 : 2;
        context.setLineDash(standing === "hidden" ? [2, 2] : []);
        context.fill();
        context.stroke();
        context.setLineDash([]);
        if (r > 5.5) {
          context.fillStyle = standing === "expressed" ? colours.onExpressed : colours.text;
          context.font = `${Math.min(14, r)}px system-ui, sans-serif`;
          context.fillText(this.frame.terminals.name(realCode(node, accepted)), x, y);
        }
      }
      if (isTouched) {
        context.strokeStyle = accepted ? colours.accepted : colours.rejected;
        context.lineWidth = 2.5;
        context.beginPath();
        context.arc(x, y, Math.max(r + 3, 9), 0, 7);
        context.stroke();
        context.fillStyle = context.strokeStyle;
        context.font = "bold 18px system-ui, sans-serif";
        context.fillText(changeSign(node, this.frame.terminals), x, y - Math.max(r + 3, 9) - 11);
      }
    }
  }

  writeFunction(context, colours, node, x, y, r) {
    const name = this.functionOf(node);
    context.font = `${functionFont(r)}px system-ui, sans-serif`;
    const { width } = context.measureText(name);
    context.fillStyle = colours.ground;
    context.fillRect(x - width / 2 - 2, y - functionFont(r) * 0.6, width + 4, functionFont(r) * 1.2);
    const verdict = this.frame.accepted ? colours.accepted : colours.rejected;
    context.fillStyle = this.frame.touched.has(node.id) ? verdict : colours.text;
    context.fillText(name, x, y);
  }

  onClick(event) {
    if (event.defaultPrevented || !this.layout) return;
    const box = this.element.getBoundingClientRect();
    const [x, y] = this.transform.invert([event.clientX - box.left, event.clientY - box.top]);
    let nearest = null;
    let least = (18 / Math.min(1, this.transform.k)) ** 2;
    for (const place of this.layout.nodes) {
      if (isLeaf(place.node)) continue;
      const distance = (place.x - x) ** 2 + (place.y + (place.folded ? this.layout.radius : 0) - y) ** 2;
      if (distance < least) [least, nearest] = [distance, place];
    }
    if (!nearest) return;
    this.choices.set(nearest.node.id, nearest.folded ? "open" : "folded");
    this.draw();
  }
}

// Of each node, how most of the leaves below it stand: a large tree is tinted by it, so that it is seen from afar.
function tints(root, standings) {
  const counts = new Map();
  const order = root === null ? [] : [root];
  for (let i = 0; i < order.length; i++) order.push(...order[i].children);
  for (const node of order.reverse()) {
    const mine = new Map(isLeaf(node) ? [[standings.get(node.id) ?? "", 1]] : []);
    for (const child of node.children) for (const [name, count] of counts.get(child)) mine.set(name, (mine.get(name) ?? 0) + count);
    counts.set(node, mine);
  }
  const most = (found) => [...found].reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0])[0];
  return new Map([...counts].map(([node, found]) => [node.id, most(found)]));
}

// The wheel alone and one finger scroll the page.
function isMeant(event) {
  if (event.type === "wheel") return event.ctrlKey || event.metaKey;
  return event.touches ? event.touches.length > 1 : !event.ctrlKey && !event.button;
}

// What happened to a leaf: a replaced one is kept, with another terminal.
export function change(node) {
  return node.part === "kept" && node.isReplaced ? "changed" : node.part;
}

// Above a leaf: what happens to it, whether accepted or not; of a replaced one the old terminal, then the new one.
export function changeSign(node, terminals) {
  return change(node) === "changed" ? `${terminals.name(node.before)} → ${terminals.name(node.code)}` : (SIGNS[node.part] ?? "");
}

const sideOf = (node, among) => (among.length === 2 ? ["left", "right"][among.indexOf(node)] : String(among.indexOf(node)));

const linkPart = ({ node, parent }) => (parent.node.part === "kept" ? node.part : parent.node.part);

function shape({ node, folded }, r, accepted) {
  if (folded) return `M0,0L${r * 0.9},${r * 1.7}H${-r * 0.9}Z`;
  if (!isLeaf(node)) return circle(Math.max(2.5, r * 0.27));
  // A square is a complement, a circle a variable: the bar is small.
  const side = r * 0.92;
  return isBar(realCode(node, accepted)) ? `M${-side},${-side}H${side}V${side}H${-side}Z` : circle(r);
}

// A function has its name in a pill.
const functionFont = (r) => Math.max(8, Math.min(13, r * 0.8));

function pill(name, font) {
  const [x, y] = [name.length * font * 0.3 + font * 0.1, font * 0.72];
  return `M${-x},${-y}H${x}A${y},${y} 0 0,1 ${x},${y}H${-x}A${y},${y} 0 0,1 ${-x},${-y}Z`;
}

const circle = (r) => `M${-r},0A${r},${r} 0 1,1 ${r},0A${r},${r} 0 1,1 ${-r},0Z`;

function writeName(text, { node, folded }, accepted, named, terminals) {
  text.textContent = named;
  if (folded) {
    text.textContent = String(folded);
  } else if (isLeaf(node)) {
    const code = realCode(node, accepted);
    const [sign, below] = terminals.parts(code);
    text.append(sign);
    const index = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
    index.setAttribute("class", "index");
    index.setAttribute("dy", "0.28em");
    index.textContent = below;
    text.append(index);
  }
}

export function palette(element) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    link: colour("line"),
    ground: colour("ground"),
    text: colour("text"),
    expressed: colour("expressed"),
    onExpressed: colour("on-expressed"),
    blocking: colour("blocking"),
    hidden: colour("hidden"),
    accepted: colour("accepted"),
    rejected: colour("rejected"),
  };
}
