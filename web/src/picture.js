// What is drawn for a step: parent and offspring in one tree. A new leaf is drawn with its join, a leaf that goes is still
// there, a replaced one knows both terminals. Which of them is real says `accepted`.
//
// A drawn node: { id, code, before, isReplaced, part, children }. `part` is "kept", "new", "gone" or "fleeting" (new and
// gone again in the same offspring); a replaced leaf or function was `before`, which can be the same.
import { isLeaf } from "./tree.js";

export class Notes {
  constructor() {
    this.isNew = new Set();
    this.before = new Map(); // node -> code before the step
    this.wraps = new Map(); // node -> the joins that went above it, first gone first
    this.goneRoots = []; // only leaves that were deleted
    this.touched = new Set();
  }

  inserted(leaves, join) {
    for (const leaf of leaves) {
      this.isNew.add(leaf);
      this.touched.add(leaf.id);
    }
    if (join) this.isNew.add(join);
    if (join && !leaves.length) this.touched.add(join.id);
  }

  changed(node, before) {
    if (!this.before.has(node)) this.before.set(node, before);
    this.touched.add(node.id);
  }

  // The child in this place has taken the join's; what goes are leaves, or subtrees.
  deleted(join, place, ...gone) {
    for (const one of gone) this.touched.add(one.id);
    if (!gone.length) this.touched.add(join.id);
    const kept = join.children[place];
    const wraps = this.wraps.get(kept) ?? [];
    wraps.push({ join, place });
    this.wraps.set(kept, wraps);
  }

  // The whole tree went.
  cleared(root) {
    this.touched.add(root.id);
    this.goneRoots.push(root);
  }
}

function drawn(node, notes, isGone) {
  const isNew = notes.isNew.has(node);
  const part = isGone ? (isNew ? "fleeting" : "gone") : isNew ? "new" : "kept";
  const isReplaced = notes.before.has(node);
  const before = isReplaced ? notes.before.get(node) : node.code;
  return { id: node.id, code: node.code, before, isReplaced, part, children: [] };
}

// The drawn tree for `root` with what the notes say went away. Iterative: trees can be deep.
export function picture(root, notes) {
  let result = null;
  const waiting = [];
  const visit = (node, isGone, place) => waiting.push({ node, isGone, place });
  const wrapUp = (node, place) => {
    // Joins that went above `node` are drawn outside in: collect them inner first, then hang them from the outermost.
    const chain = [];
    const collect = (one) => {
      for (const wrap of notes.wraps.get(one) ?? []) {
        chain.push(wrap);
        collect(wrap.join);
      }
    };
    collect(node);
    let here = place;
    for (const { join, place: kept } of chain.reverse()) {
      const ghost = drawn(join, notes, true);
      here(ghost);
      ghost.children = join.children.map(() => null);
      join.children.forEach((gone, i) => {
        if (i !== kept) visit(gone, true, (child) => (ghost.children[i] = child));
      });
      here = (child) => (ghost.children[kept] = child);
    }
    return here;
  };
  let top = (node) => (result = node);
  for (const leaf of [...notes.goneRoots].reverse()) {
    const only = leaf === notes.goneRoots[0] && root === null;
    if (only) {
      visit(leaf, true, top);
    } else {
      const ghost = { id: -leaf.id, code: -1, before: -1, isReplaced: false, part: "gone", children: [null, null] };
      top(ghost);
      visit(leaf, true, (child) => (ghost.children[0] = child));
      top = (child) => (ghost.children[1] = child);
    }
  }
  if (root !== null) visit(root, false, top);
  while (waiting.length) {
    const { node, isGone, place } = waiting.pop();
    const one = drawn(node, notes, isGone);
    wrapUp(node, place)(one);
    for (let i = node.children.length - 1; i >= 0; i--) visit(node.children[i], isGone, (child) => (one.children[i] = child));
  }
  return result;
}

// The drawn leaves from left to right.
export function drawnLeaves(root) {
  const leaves = [];
  const waiting = root === null ? [] : [root];
  while (waiting.length) {
    const node = waiting.pop();
    if (isLeaf(node)) leaves.push(node);
    for (let i = node.children.length - 1; i >= 0; i--) waiting.push(node.children[i]);
  }
  return leaves;
}

// Whether a drawn leaf is in the tree after the step, and with which terminal.
export function isReal(leaf, accepted) {
  return leaf.part === "kept" || leaf.part === (accepted ? "new" : "gone");
}

export const realCode = (node, accepted) => (accepted ? node.code : node.before);
