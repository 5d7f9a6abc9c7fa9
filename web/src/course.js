// Fitness and leaves against evaluations, with a cursor that moves both ways.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { pointer, select } from "d3-selection";
import { curveStepAfter, line } from "d3-shape";
import { brief, fitness as written, whole } from "./numbers.js";

const LEAST_HEIGHT = 190;
const MARGIN = { top: 22, right: 14, bottom: 26, left: 56 };
const GAP = 30;
const MOST_DOTS = 60;

export class Course {
  constructor(element, { onSeek }) {
    this.element = element;
    this.svg = select(element).append("svg").attr("class", "course");
    this.svg
      .attr("role", "slider")
      .attr("tabindex", 0)
      .attr("aria-label", "Evaluations")
      .attr("aria-valuemin", 1);
    this.parts = ["fitness", "leaves"].map((name) => {
      const group = this.svg.append("g").attr("class", name);
      group.append("g").attr("class", "axis y");
      group.append("text").attr("class", "caption");
      group.append("path").attr("class", "line other").attr("fill", "none");
      group.append("path").attr("class", "line own").attr("fill", "none");
      group.append("line").attr("class", "goal");
      group.append("g").attr("class", "dots");
      return { name, group, y: scaleLinear() };
    });
    this.bottom = this.svg.append("g").attr("class", "axis x");
    this.caption = this.svg.append("text").attr("class", "caption x").text("evaluations");
    this.cursor = this.svg.append("g").attr("class", "cursor");
    this.cursor.append("line");
    this.cursor.append("path").attr("d", "M-6,0H6L0,9Z");
    this.values = this.cursor.append("text");
    this.isLog = false;
    this.most = 1;
    this.x = scaleLinear();
    const seek = (event) => {
      const [x] = pointer(event, this.svg.node());
      onSeek(Math.round(this.x.invert(x)));
    };
    this.svg
      .on("pointerdown", (event) => {
        this.svg.node().setPointerCapture(event.pointerId);
        this.isDragged = true;
        seek(event);
      })
      .on("pointermove", (event) => this.isDragged && seek(event))
      .on("pointerup pointercancel", () => (this.isDragged = false));
    this.measure();
    new ResizeObserver(() => {
      this.measure();
      if (this.run) this.draw();
    }).observe(element);
  }

  measure() {
    this.size = { width: this.element.clientWidth, height: this.element.clientHeight };
  }

  // `most` is the last evaluation of the axis: two runs side by side share it, and each has the other's line too.
  show(run, most, other = null) {
    this.run = run;
    this.other = other?.points.length && other.captions[1] === run.captions[1] ? other : null;
    this.most = Math.max(2, most);
    this.draw();
  }

  setLog(isLog) {
    this.isLog = isLog;
    if (this.run) this.draw();
  }

  draw() {
    if (!this.size.width) this.measure();
    const { width } = this.size;
    const { points, start } = this.run;
    if (!width || !start || !points.length) return;
    const height = (this.height = Math.max(LEAST_HEIGHT, this.size.height));
    this.svg.attr("width", width).attr("height", height).attr("viewBox", [0, 0, width, height]);
    this.x = (this.isLog ? scaleLog() : scaleLinear()).domain([1, this.most]).range([MARGIN.left, width - MARGIN.right]);
    const inner = height - MARGIN.top - MARGIN.bottom - GAP;
    const tall = [Math.round(inner * 0.55), Math.round(inner * 0.45)];
    let top = MARGIN.top;
    const shown = thinned(points, this.x);
    const others = this.other ? thinned(this.other.points, this.x) : [];
    const both = [...shown, ...others];
    this.parts.forEach((part, i) => {
      const column = i + 1;
      const [least, most] = i === 0 ? this.fitnessRange(both) : [0, both.reduce((largest, point) => Math.max(largest, point[2]), 2)];
      part.y.domain([least, most]).range([top + tall[i], top]);
      if (i === 1) part.y.nice(3);
      const path = line((point) => this.x(point[0]), (point) => part.y(point[column])).curve(curveStepAfter);
      part.group.select("path.own").attr("d", path(toTheEnd(this.run, shown)));
      part.group.select("path.other").attr("d", this.other ? path(toTheEnd(this.other, others)) : null);
      part.group
        .select(".axis.y")
        .attr("transform", `translate(${MARGIN.left},0)`)
        .call(axisLeft(part.y).ticks(3).tickSizeOuter(0).tickFormat((value) => (Number.isInteger(value) || (i === 0 && most - least < 3) ? brief(value) : "")));
      part.group
        .select(".goal")
        .attr("x1", MARGIN.left)
        .attr("x2", width - MARGIN.right)
        .attr("y1", part.y(i === 0 ? start.best : most))
        .attr("y2", part.y(i === 0 ? start.best : most))
        .attr("visibility", i === 0 ? "visible" : "hidden");
      part.group.select(".caption").attr("x", 0).attr("y", top - 10).text(`${this.run.captions[i]}${this.other && i === 0 ? " (dashed: the other run)" : ""}`);
      if (i === 0) {
        const improved = this.run.improvements.length <= MOST_DOTS ? shown.filter((point) => point[3]) : [];
        part.group
          .select(".dots")
          .selectAll("circle")
          .data(improved)
          .join("circle")
          .attr("r", 2.6)
          .attr("cx", (point) => this.x(point[0]))
          .attr("cy", (point) => part.y(point[1]));
      }
      top += tall[i] + GAP;
    });
    const ticks = Math.max(2, Math.floor(width / 110));
    const axis = axisBottom(this.x).tickSizeOuter(0);
    if (this.isLog) axis.ticks(ticks, (value) => (Number.isInteger(Math.log10(value)) ? brief(value) : ""));
    else axis.ticks(ticks).tickFormat((value) => (Number.isInteger(value) ? brief(value) : ""));
    this.bottom.attr("transform", `translate(0,${height - MARGIN.bottom})`).call(axis);
    const isLast = (value) => this.x(value) > width - 2 * MARGIN.right; // a long number would be cut at the edge
    this.bottom.selectAll(".tick text").attr("text-anchor", (value) => (isLast(value) ? "end" : null));
    this.caption.attr("x", width - MARGIN.right).attr("y", height - MARGIN.bottom - 5).attr("text-anchor", "end");
    this.svg.attr("aria-valuemax", this.run.last);
    this.place(this.t ?? 1);
  }

  // From nothing to the best, or from the worst to the best where smaller is better.
  fitnessRange(points) {
    const { best } = this.run.start;
    let [least, most] = [Math.min(0, best), best];
    for (const point of points) {
      least = Math.min(least, point[1]);
      most = Math.max(most, point[1]);
    }
    return least < most ? [least, most] : [least, least + 1];
  }

  place(t) {
    this.t = t;
    if (!this.height || !this.run?.points.length) return;
    const at = Math.min(t, this.run.last);
    const x = this.x(at);
    const { width } = this.size;
    this.cursor.attr("transform", `translate(${x},${MARGIN.top - 12})`);
    this.cursor.select("line").attr("y1", 4).attr("y2", this.height - MARGIN.bottom - MARGIN.top + 12);
    const point = this.run.pointAt(at);
    this.values
      .attr("x", x > width * 0.6 ? -10 : 10)
      .attr("y", 7)
      .attr("text-anchor", x > width * 0.6 ? "end" : "start")
      .text(whole(at));
    this.svg
      .attr("aria-valuenow", at)
      .attr("aria-valuetext", point ? `${at} evaluations, fitness ${written(point[1])}, ${point[2]} ${this.run.captions[1]}` : `${at} evaluations`);
  }
}

// A line goes on to the last evaluation there is.
const toTheEnd = (run, points) => [...points, [run.last, ...run.points.at(-1).slice(1)]];

// At most a few points a pixel: improvements where there is room, and the extremes of the leaves.
function thinned(points, x) {
  if (points.length < 1500) return points;
  const kept = [];
  let column = -1;
  let group = [];
  const flush = () => {
    if (group.length <= 4) kept.push(...group);
    else {
      let [low, high] = [group[0], group[0]];
      for (const point of group) {
        if (point[2] < low[2]) low = point;
        if (point[2] > high[2]) high = point;
      }
      const few = new Set([group[0], low, high, group[group.length - 1]]);
      kept.push(...group.filter((point) => few.has(point)));
    }
    group = [];
  };
  for (const point of points) {
    const here = Math.floor(x(point[0]));
    if (here !== column) flush();
    column = here;
    group.push(point);
  }
  flush();
  return kept;
}
