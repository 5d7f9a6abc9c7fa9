// What is drawn for a step: parent and offspring in one tree. A new leaf is drawn with its join, a leaf that goes is still
// there, a replaced one knows both terminals. Which of them is real says `accepted`.
//
// A drawn node: { id, code, before, isReplaced, part, left, right }. `part` is "kept", "new", "gone" or "fleeting" (new and
// gone again in the same offspring); a replaced leaf or function was `before`, which can be the same.

export class Notes {
  constructor() {
    this.isNew = new Set();
    this.before = new Map(); // node -> code before the step
    this.wraps = new Map(); // node -> the joins that went above it, first gone first
    this.goneRoots = []; // only leaves that were deleted
    this.touched = new Set();
  }

  inserted(leaf, join) {
    this.isNew.add(leaf);
    if (join) this.isNew.add(join);
    this.touched.add(leaf.id);
  }

  changed(node, before) {
    if (!this.before.has(node)) this.before.set(node, before);
    this.touched.add(node.id);
  }

  // `gone` is a leaf, or a subtree for the original HVL; the sibling has taken the join's place.
  deleted(join, gone, sibling, side) {
    this.touched.add(gone.id);
    if (join === null) {
      this.goneRoots.push(gone);
      return;
    }
    const wraps = this.wraps.get(sibling) ?? [];
    wraps.push({ join, gone, side });
    this.wraps.set(sibling, wraps);
  }
}

function drawn(node, notes, isGone) {
  const isNew = notes.isNew.has(node);
  const part = isGone ? (isNew ? "fleeting" : "gone") : isNew ? "new" : "kept";
  const isReplaced = notes.before.has(node);
  const before = isReplaced ? notes.before.get(node) : node.code;
  return { id: node.id, code: node.code, before, isReplaced, part, left: null, right: null };
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
    for (const { join, gone, side } of chain.reverse()) {
      const ghost = drawn(join, notes, true);
      here(ghost);
      visit(gone, true, (child) => (ghost[side] = child));
      const inner = side === "left" ? "right" : "left";
      here = (child) => (ghost[inner] = child);
    }
    return here;
  };
  let top = (node) => (result = node);
  for (const leaf of [...notes.goneRoots].reverse()) {
    const only = leaf === notes.goneRoots[0] && root === null;
    if (only) {
      visit(leaf, true, top);
    } else {
      const ghost = { id: -leaf.id, code: -1, before: -1, isReplaced: false, part: "gone", left: null, right: null };
      top(ghost);
      visit(leaf, true, (child) => (ghost.left = child));
      top = (child) => (ghost.right = child);
    }
  }
  if (root !== null) visit(root, false, top);
  while (waiting.length) {
    const { node, isGone, place } = waiting.pop();
    const one = drawn(node, notes, isGone);
    wrapUp(node, place)(one);
    if (node.left !== null) {
      visit(node.right, isGone, (child) => (one.right = child));
      visit(node.left, isGone, (child) => (one.left = child));
    }
  }
  return result;
}

// The drawn leaves from left to right.
export function drawnLeaves(root) {
  const leaves = [];
  const waiting = root === null ? [] : [root];
  while (waiting.length) {
    const node = waiting.pop();
    if (node.left === null) leaves.push(node);
    else waiting.push(node.right, node.left);
  }
  return leaves;
}

// Whether a drawn leaf is in the tree after the step, and with which terminal.
export function isReal(leaf, accepted) {
  return leaf.part === "kept" || leaf.part === (accepted ? "new" : "gone");
}

export const realCode = (node, accepted) => (accepted ? node.code : node.before);
