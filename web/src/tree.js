// A program tree with the model's register (gpruntime.model.tree), changed in place, every change able to be taken back.
export const SUBSTITUTE = 0;
export const INSERT = 1;
export const DELETE = 2;

let nextId = 1;

// A leaf's code is its terminal's, a join's −1 − the place of its function. How a leaf stands is told by the server.
function newNode(code, index, standing = 0) {
  return { id: nextId++, code, index, standing, parent: null, left: null, right: null };
}

const joinCode = (place) => -1 - Math.max(0, place);

export const isLeaf = (node) => node.left === null;

function hang(node, parent, side) {
  node.parent = parent;
  parent[side] = node;
}

const sideOf = (node) => (node.parent.left === node ? "left" : "right");
const otherSide = (side) => (side === "left" ? "right" : "left");

function fillHole(register, index) {
  const last = register.pop();
  if (index < register.length) {
    register[index] = last;
    last.index = index;
  }
}

function reopenHole(register, index, node) {
  if (index < register.length) {
    const moved = register[index];
    moved.index = register.length;
    register.push(moved);
    register[index] = node;
  } else {
    register.push(node);
  }
  node.index = index;
}

export class Tree {
  constructor({ codes, child, root, functions = [] }, standings = "") {
    this.leaves = codes.map((code, index) => newNode(code, index, Number(standings[index] ?? 0)));
    this.joins = Array.from({ length: child.length / 2 }, (_, index) => newNode(joinCode(functions[index] ?? 0), index));
    const named = (name) => (name >= 0 ? this.leaves[name] : this.joins[-1 - name]);
    this.joins.forEach((join, j) => {
      hang(named(child[2 * j]), join, "left");
      hang(named(child[2 * j + 1]), join, "right");
    });
    this.root = root === null ? null : named(root);
  }

  node(index) {
    return index < this.leaves.length ? this.leaves[index] : this.joins[index - this.leaves.length];
  }

  // Makes an operation. `note` learns what happened; the answer takes it back.
  make({ kind, site, side, code, place }, setting, note) {
    if (kind === INSERT) return this.insert(site, side === 1 ? "right" : "left", code, place, note);
    if (kind === SUBSTITUTE) {
      if (code >= 0) return this.substitute(this.leaves[site], code, note);
      return place < 0 ? nothing : this.substitute(this.node(site), joinCode(place), note);
    }
    if (setting.operator === "hvl") {
      return side < 0 ? nothing : this.replaceByChild(site - this.leaves.length, side === 1 ? "right" : "left", note);
    }
    if (site < 0 || (this.leaves.length === 1 && setting.last_leaf !== "empty")) return nothing;
    return this.delete(site, note);
  }

  substitute(node, code, note) {
    const before = node.code;
    node.code = code;
    note.changed(node, before);
    return () => {
      node.code = before;
    };
  }

  insert(site, side, code, place, note) {
    const leaf = newNode(code, this.leaves.length);
    if (this.root === null) {
      this.leaves.push(leaf);
      this.root = leaf;
      note.inserted(leaf, null);
      return () => {
        this.leaves.pop();
        this.root = null;
      };
    }
    const node = this.node(site);
    const join = newNode(joinCode(place), this.joins.length);
    this.leaves.push(leaf);
    this.joins.push(join);
    this.replace(node, join);
    hang(leaf, join, side);
    hang(node, join, otherSide(side));
    note.inserted(leaf, join);
    return () => {
      this.leaves.pop();
      this.joins.pop();
      this.replace(join, node);
    };
  }

  delete(site, note) {
    const leaf = this.leaves[site];
    const parent = leaf.parent;
    if (parent === null) {
      this.root = null;
      fillHole(this.leaves, site);
      note.deleted(null, leaf, null, "left");
      return () => {
        this.leaves.push(leaf);
        this.root = leaf;
      };
    }
    const side = sideOf(leaf);
    const sibling = parent[otherSide(side)];
    const place = parent.index;
    this.replace(parent, sibling);
    fillHole(this.joins, place);
    fillHole(this.leaves, site);
    note.deleted(parent, leaf, sibling, side);
    return () => {
      this.replace(sibling, parent);
      hang(sibling, parent, otherSide(side));
      hang(leaf, parent, side);
      reopenHole(this.leaves, site, leaf);
      reopenHole(this.joins, place, parent);
    };
  }

  // The deletion of the original HVL.
  replaceByChild(joinIndex, side, note) {
    const join = this.joins[joinIndex];
    const kept = join[side];
    const gone = join[otherSide(side)];
    const registers = [this.leaves, this.joins];
    this.replace(join, kept);
    const lost = new Set([join]);
    for (const node of walk(gone)) lost.add(node);
    this.leaves = this.leaves.filter((node) => !lost.has(node));
    this.joins = this.joins.filter((node) => !lost.has(node));
    this.renumber();
    note.deleted(join, gone, kept, otherSide(side));
    return () => {
      this.replace(kept, join);
      hang(kept, join, side);
      [this.leaves, this.joins] = registers;
      this.renumber();
    };
  }

  renumber() {
    for (const register of [this.leaves, this.joins]) register.forEach((node, index) => (node.index = index));
  }

  // Puts `node` where `old` hangs.
  replace(old, node) {
    if (old.parent === null) {
      this.root = node;
      node.parent = null;
    } else {
      hang(node, old.parent, sideOf(old));
    }
  }
}

function nothing() {}

// All nodes below and including the top, in pre-order; trees can be deep, so there is no recursion.
export function* walk(top) {
  const waiting = top === null ? [] : [top];
  while (waiting.length) {
    const node = waiting.pop();
    yield node;
    if (node.left !== null) waiting.push(node.right, node.left);
  }
}

// The model's text form, e.g. ((x1 !x4) (x2 x3)), or (and x1 x2) where functions have names.
export function write(root, functions) {
  if (root === null) return "()";
  const parts = [];
  const waiting = [root];
  while (waiting.length) {
    const node = waiting.pop();
    if (typeof node === "string") parts.push(node);
    else if (isLeaf(node)) parts.push(`${node.code & 1 ? "!" : ""}x${(node.code >> 1) + 1}`);
    else {
      const name = functions[-1 - node.code];
      parts.push(name ? `(${name} ` : "(");
      waiting.push(")", node.right, " ", node.left);
    }
  }
  return parts.join("");
}
