// One run as the page knows it: its course, the steps at hand, and the tree at any evaluation.
import { fitness as written, whole } from "./numbers.js";
import { BLOCK } from "./source.js";
import { Notes, picture } from "./picture.js";
import { Terminals } from "./terminals.js";
import { Timeline } from "./timeline.js";
import { INSERT, Tree, write } from "./tree.js";

const MOST_BLOCKS = 40;
const MOST_UNDO = 4000;

export class Run extends Timeline {
  constructor(source, stop) {
    super();
    this.source = source;
    this.stop = stop;
    this.blocks = new Map();
    this.pending = new Map();
    this.tree = null;
    this.rows = []; // of the panel of variables
    this.fitness = 0;
    this.at = 0; // tree, rows and fitness are those after this many evaluations
    this.undo = []; // how to take back the steps made since the tree was read
  }

  blockOf(t) {
    return Math.max(0, Math.floor((t - 2) / BLOCK));
  }

  has(t) {
    return this.source.has(this.blockOf(t));
  }

  isHere(t) {
    return this.blocks.has(this.blockOf(t));
  }

  // A block of steps; asked for once, however many wait.
  async block(number) {
    const found = this.blocks.get(number);
    if (found) return found;
    if (!this.pending.has(number)) {
      const stop = new AbortController();
      const asked = this.source
        .block(number, AbortSignal.any([stop.signal, this.stop.signal]))
        .then((block) => {
          this.blocks.set(number, block);
          if (this.blocks.size > MOST_BLOCKS) this.blocks.delete(this.blocks.keys().next().value);
          return block;
        })
        .finally(() => {
          if (this.pending.get(number)?.stop === stop) this.pending.delete(number);
        });
      this.pending.set(number, { asked, stop });
    }
    return this.pending.get(number).asked;
  }

  // Whoever drags the cursor passes by many places: what was asked for on the way is given up.
  giveUpAllBut(number) {
    for (const [other, { stop }] of this.pending) {
      if (other === number) continue;
      this.pending.delete(other);
      stop.abort();
    }
  }

  prefetch(t) {
    if (t <= this.last && this.has(t) && !this.isHere(t)) this.block(this.blockOf(t)).catch(() => {});
  }

  // The next accepted offspring after t, or null: strict runs know it from the course, others look through the steps.
  async nextAccepted(t, signal) {
    if (this.start.strict) return this.nextImprovement(t);
    for (let number = this.blockOf(t + 1); 1 + number * BLOCK < this.last; number++) {
      if (!this.source.has(number)) continue;
      const block = await this.block(number);
      if (signal?.aborted) return null;
      const from = Math.max(0, t - block.after);
      const found = block.steps.findIndex((step, i) => i >= from && step[0] & 1);
      if (found >= 0) return block.after + 1 + found;
    }
    return null;
  }

  // The frame of evaluation t; its block must be here.
  frame(t) {
    const block = this.blocks.get(this.blockOf(t));
    if (t === 1) {
      this.bringTo(1, block);
      return this.framed(t, null, new Notes(), this.start.words);
    }
    this.bringTo(t - 1, block);
    const step = stepOf(block, t, this.start);
    const notes = new Notes();
    const back = this.makeStep(step, notes);
    const drawn = picture(this.tree.root, notes);
    const leaves = this.tree.leaves.length;
    this.settle(step, back);
    return { ...this.framed(t, step, notes), picture: drawn, leaves, acceptances: acceptances(block, t) };
  }

  // Of a place whose steps are not at hand, acceptances are not known.
  numbers(t, fitness, leaves, acceptances = null) {
    const of = this.start.is_smaller_better ? ", best" : " of";
    const counts = acceptances === null ? ["–", "–"] : [whole(acceptances), whole(t - 1 - acceptances)];
    return [whole(t), `${written(fitness)}${of} ${written(this.start.best)}`, whole(leaves), ...counts];
  }

  // How leaves and variables stand is told by the server: the page only looks it up.
  framed(t, step, notes, words) {
    const { functions, leaf_standings: ofLeaf, row_standings: ofRow, legend, variables, names } = this.start;
    const terminals = new Terminals(names);
    return {
      t,
      step,
      acceptances: 0, // of all offspring so far
      accepted: step === null || step.accepted,
      picture: picture(this.tree.root, notes),
      touched: notes.touched,
      leaves: this.tree.leaves.length,
      words: step ? step.words : words,
      verdict: step ? step.verdict : "",
      text: () => write(this.tree.root, functions, terminals),
      fitness: this.fitness,
      standings: new Map(this.tree.leaves.map(({ id, standing }) => [id, ofLeaf[standing]])),
      rows: this.rows.map(([standing, up, down, text, words]) => ({ standing: ofRow[standing], up, down, text, words })),
      lanes: ofLeaf.filter((standing) => standing in legend),
      digits: terminals.longest(variables),
      functions,
      terminals,
    };
  }

  makeStep(step, notes) {
    const backs = step.operations.map((operation) => this.tree.make(operation, this.start, notes));
    return () => {
      for (let i = backs.length - 1; i >= 0; i--) backs[i]();
    };
  }

  // An offspring takes its parent's place, or goes; `back` takes its operations back.
  settle(step, back) {
    if (!step.accepted) {
      back();
      this.remember(step.t, nothing);
      return;
    }
    const { fitness } = this;
    const leaves = step.leaves.map(([place, standing]) => [this.tree.leaves[place], standing]);
    const standings = leaves.map(([leaf]) => leaf.standing);
    const rows = step.rows.map(([place]) => this.rows[place]);
    this.fitness = step.fitness;
    for (const [leaf, standing] of leaves) leaf.standing = standing;
    for (const [place, row] of step.rows) this.rows[place] = row;
    this.remember(step.t, () => {
      this.fitness = fitness;
      leaves.forEach(([leaf], i) => (leaf.standing = standings[i]));
      step.rows.forEach(([place], i) => (this.rows[place] = rows[i]));
      back();
    });
  }

  // Takes steps back or makes them until the tree is the one after `at` evaluations; or reads it anew.
  bringTo(at, block) {
    const canGoBack = this.at > at && this.at - at <= this.undo.length;
    const canGoOn = this.at <= at && this.at >= block.after;
    if (this.tree === null || !(canGoBack || canGoOn)) {
      this.tree = new Tree(block.tree, block.standings, this.start.arities);
      this.rows = block.variables.map((place) => block.rows[place]);
      this.fitness = block.fitness;
      this.at = block.after;
      this.undo = [];
    }
    while (this.at > at) {
      this.undo.pop()();
      this.at--;
    }
    while (this.at < at) {
      const step = stepOf(block, this.at + 1, this.start);
      this.settle(step, this.makeStep(step, new Notes()));
    }
  }

  remember(t, back) {
    this.at = t;
    this.undo.push(back);
    if (this.undo.length > MOST_UNDO) this.undo.splice(0, MOST_UNDO / 2);
  }
}

function nothing() {}

function stepOf(block, t, start) {
  const [accepted, fitness, , numbers, words, verdict, leaves = [], rows = []] = block.steps[t - block.after - 1];
  const operations = start.arities.length ? calls(numbers) : binary(numbers, start.functions.length > 1 ? 5 : 4);
  const written = pairs(rows).map(([place, row]) => [place, block.rows[row]]);
  return { t, accepted: accepted === 1, fitness, operations, words, verdict, leaves: pairs(leaves), rows: written };
}

// Where all functions have two arguments: the new leaf has a side; with several functions a fifth number says which.
function binary(numbers, width) {
  const operations = [];
  for (let i = 0; i < numbers.length; i += width) {
    const [kind, site, side, code, place = -1] = numbers.slice(i, i + width);
    const codes = code < 0 ? [] : [code];
    operations.push({ kind, site, place: kind === INSERT && side >= 0 ? 1 - side : side, codes, function: place });
  }
  return operations;
}

function calls(numbers) {
  const operations = [];
  for (let i = 0; i < numbers.length; i += 5 + numbers[i + 4]) {
    const [kind, site, place, named, count] = numbers.slice(i, i + 5);
    operations.push({ kind, site, place, function: named, codes: numbers.slice(i + 5, i + 5 + count) });
  }
  return operations;
}

// How many offspring were accepted up to evaluation t; counted once for a block.
export function acceptances(block, t) {
  if (!block.acceptances) {
    let total = block.accepted;
    block.acceptances = block.steps.map(([accepted]) => (total += accepted & 1));
  }
  return block.acceptances[t - block.after - 1];
}

function pairs(numbers) {
  const found = [];
  for (let i = 0; i < numbers.length; i += 2) found.push([numbers[i], numbers[i + 1]]);
  return found;
}
