// The cursor and how it moves: by steps, to the next of something, or by itself.
import { whole } from "./numbers.js";

export const SPEEDS = [1, 2, 5, 10, 25, 100, 500, 2000, 10000, 100000];

export class Player {
  constructor({ getRuns, onMove }) {
    this.getRuns = getRuns;
    this.onMove = onMove;
    this.t = 1;
    this.speed = 2; // place in SPEEDS
    this.isPlaying = false;
    this.onState = () => {};
  }

  get last() {
    return Math.max(1, ...this.getRuns().map((run) => run.last));
  }

  get isComplete() {
    return this.getRuns().every((run) => run.end);
  }

  go(t) {
    this.search?.abort();
    this.t = Math.max(1, Math.min(Math.round(t), this.last));
    this.shown = this.onMove(this.t);
    this.onState();
  }

  stepBy(steps) {
    this.pause();
    this.go(this.moved(steps));
  }

  // A step of a single run can be more than an evaluation; side by side they go by evaluations.
  moved(steps) {
    const [run] = this.getRuns();
    return run.start ? run.moved(this.t, steps) : this.t;
  }

  start() {
    this.pause();
    this.go(1);
  }

  end() {
    this.pause();
    this.go(this.last);
  }

  // The nearest of what the runs answer: with two runs, whichever comes first.
  async next(find) {
    this.pause();
    this.search?.abort();
    const search = (this.search = new AbortController());
    const found = await Promise.all(this.getRuns().map((run) => (run.start ? find(run, search.signal) : null)));
    if (search.signal.aborted) return;
    const places = found.filter((place) => place !== null);
    if (places.length) this.go(Math.min(...places));
    else this.go(this.last);
  }

  nextImprovement() {
    return this.next((run) => run.nextImprovement(this.t));
  }

  nextAccepted() {
    return this.next((run, signal) => run.nextAccepted(this.t, signal));
  }

  previousImprovement() {
    this.pause();
    const places = this.getRuns().map((run) => run.previousImprovement(this.t)).filter((place) => place !== null);
    this.go(places.length ? Math.max(...places) : 1);
  }

  faster(by) {
    this.speed = Math.max(0, Math.min(this.speed + by, SPEEDS.length - 1));
    this.onState();
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    cancelAnimationFrame(this.request);
    this.onState();
  }

  // Steps fall due as time goes by; a picture that takes longer makes the next one leap, and none is drawn twice.
  play() {
    if (this.t >= this.last && this.isComplete) this.go(1);
    this.isPlaying = true;
    this.onState();
    let before = performance.now();
    let due = 0;
    const round = (this.round = {}); // paused and played again while it waits, an earlier round ends
    const tick = async (now) => {
      if (!this.isPlaying || this.round !== round) return;
      due += ((now - before) / 1000) * SPEEDS[this.speed];
      before = now;
      if (due >= 1) {
        const steps = Math.floor(due);
        due -= steps;
        this.go(this.moved(steps));
        await this.shown;
        before = Math.max(before, performance.now() - 40); // waiting for steps from the server does not count
      }
      if (this.t >= this.last && this.isComplete) this.pause();
      else if (this.isPlaying && this.round === round) this.request = requestAnimationFrame(tick);
    };
    this.request = requestAnimationFrame(tick);
  }
}

export function speedText(place) {
  return `${whole(SPEEDS[place])} step${SPEEDS[place] === 1 ? "" : "s"} a second`;
}
