// What every run has, whatever it shows: its course, its beginning and end, and how to move along it.
export class Timeline {
  constructor() {
    this.captions = ["fitness", "leaves"]; // of the course
    this.points = []; // [evaluations, fitness, leaves, 1 for an improvement]
    this.improvements = [];
    this.start = null;
    this.end = null;
    this.upto = 1;
    this.waiting = null; // what the server says it waits for
  }

  take(piece) {
    if (piece.wait) this.waiting = piece.wait;
    if (piece.start) {
      this.start = piece.start;
      this.waiting = null;
    }
    for (const point of piece.points ?? []) this.addPoint(point);
    if (piece.upto) this.upto = piece.upto;
    if (piece.end) {
      this.end = piece.end;
      this.upto = piece.end.evaluations;
    }
  }

  addPoint(point) {
    this.points.push(point);
    if (point[3]) this.improvements.push(point[0]);
  }

  // The last evaluation there is, so far.
  get last() {
    return this.end ? this.end.evaluations : this.upto;
  }

  clamp(t) {
    return Math.max(1, Math.min(t, this.last));
  }

  // Where this many steps lead.
  moved(t, steps) {
    return t + steps;
  }

  // What the course knows of evaluation t: the last point at or before it.
  pointAt(t) {
    return this.points[lastUpTo(this.points, t)] ?? null;
  }

  nextImprovement(t) {
    return this.improvements.find((one) => one > t) ?? null;
  }

  previousImprovement(t) {
    return this.improvements.findLast((one) => one < t) ?? null;
  }
}

// The place of the last row whose first number is at most t; 0 if there is none.
export function lastUpTo(rows, t) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle][0] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
