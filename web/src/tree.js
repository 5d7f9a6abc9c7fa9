// A program tree with the model's register (gpruntime.model.tree), changed in place, every change able to be taken back.
export const SUBSTITUTE = 0;
export const INSERT = 1;
export const DELETE = 2;

let nextId = 1;

// A leaf's code is its terminal's, a join's −1 − the place of its function. How a leaf stands is told by the server.
function newNode(code, index, standing = 0) {
  return { id: nextId++, code, index, standing, parent: null, children: [] };
}

const joinCode = (place) => -1 - Math.max(0, place);

export const isLeaf = (node) => node.children.length === 0;

function hang(node, parent, place) {
  node.parent = parent;
  parent.children[place] = node;
}

const placeOf = (node) => node.parent.children.indexOf(node);

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
  constructor({ codes, child, root, functions = [] }, standings = "", arities = []) {
    this.arities = arities; // empty where all functions have two arguments
    this.leaves = codes.map((code, index) => newNode(code, index, Number(standings[index] ?? 0)));
    const count = arities.length ? functions.length || child.length / arities[0] : child.length / 2;
    this.joins = Array.from({ length: count }, (_, index) => newNode(joinCode(functions[index] ?? 0), index));
    const named = (name) => (name >= 0 ? this.leaves[name] : this.joins[-1 - name]);
    let next = 0;
    for (const join of this.joins) {
      for (let place = 0; place < this.arity(join.code); place++) hang(named(child[next++]), join, place);
    }
    this.root = root === null ? null : named(root);
  }

  arity(code) {
    return this.arities[-1 - code] ?? 2;
  }

  node(index) {
    return index < this.leaves.length ? this.leaves[index] : this.joins[index - this.leaves.length];
  }

  // Makes an operation. `note` learns what happened; the answer takes it back.
  make({ kind, site, place, codes, function: named }, setting, note) {
    if (kind === INSERT) return this.insert(site, place, codes, named, note);
    if (kind === SUBSTITUTE) {
      if (codes.length) return this.substitute(this.leaves[site], codes[0], note);
      return named < 0 || site < 0 ? nothing : this.substitute(this.node(site), joinCode(named), note);
    }
    if (setting.operator === "hvl" && place < 0) return nothing;
    if (setting.operator !== "hvl-prime" && place >= 0) return this.replaceByChild(this.node(site), place, note);
    if (site < 0 || (this.leaves.length === 1 && place < 0 && setting.last_leaf !== "empty")) return nothing;
    if (!this.arities.length) return this.delete(site, note);
    return place < 0 ? this.clear(note) : this.replaceByChild(this.above(site), place, note);
  }

  // The join that goes when HVL-Prime deletes this node (gpruntime.model.arity).
  above(site) {
    let node = this.node(site);
    if (!isLeaf(node)) return node;
    while (node.parent.children.length === 1) node = node.parent;
    return node.parent;
  }

  substitute(node, code, note) {
    const before = node.code;
    node.code = code;
    note.changed(node, before);
    return () => {
      node.code = before;
    };
  }

  insert(site, place, codes, named, note) {
    const count = this.leaves.length;
    const leaves = codes.map((code, i) => newNode(code, count + i));
    this.leaves.push(...leaves);
    if (this.root === null) {
      [this.root] = leaves;
      note.inserted(leaves, null);
      return () => {
        this.leaves.pop();
        this.root = null;
      };
    }
    const node = site < count ? this.leaves[site] : this.joins[site - count];
    const join = newNode(joinCode(named), this.joins.length);
    this.joins.push(join);
    this.replace(node, join);
    hang(node, join, place);
    leaves.forEach((leaf, i) => hang(leaf, join, i < place ? i : i + 1));
    note.inserted(leaves, join);
    return () => {
      this.leaves.length = count;
      this.joins.pop();
      this.replace(join, node);
    };
  }

  delete(site, note) {
    const leaf = this.leaves[site];
    const parent = leaf.parent;
    if (parent === null) return this.clear(note);
    const at = placeOf(leaf);
    const sibling = parent.children[1 - at];
    const place = parent.index;
    this.replace(parent, sibling);
    fillHole(this.joins, place);
    fillHole(this.leaves, site);
    note.deleted(parent, 1 - at, leaf);
    return () => {
      this.replace(sibling, parent);
      hang(sibling, parent, 1 - at);
      reopenHole(this.leaves, site, leaf);
      reopenHole(this.joins, place, parent);
    };
  }

  // The only leaf goes, with all above it.
  clear(note) {
    const { root, leaves, joins } = this;
    [this.root, this.leaves, this.joins] = [null, [], []];
    note.cleared(root);
    return () => {
      [this.root, this.leaves, this.joins] = [root, leaves, joins];
    };
  }

  // The deletion of the original HVL, and of HVL-Prime where functions have not two arguments: a child takes the place of
  // its join, and the rest goes.
  replaceByChild(join, place, note) {
    const kept = join.children[place];
    const registers = [this.leaves, this.joins];
    this.replace(join, kept);
    const lost = new Set([join]);
    for (const child of join.children) {
      if (child === kept) continue;
      for (const node of walk(child)) lost.add(node);
    }
    this.leaves = this.leaves.filter((node) => !lost.has(node));
    this.joins = this.joins.filter((node) => !lost.has(node));
    this.renumber();
    note.deleted(join, place, ...join.children.filter((child) => child !== kept));
    return () => {
      this.replace(kept, join);
      hang(kept, join, place);
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
      hang(node, old.parent, placeOf(old));
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
    for (let i = node.children.length - 1; i >= 0; i--) waiting.push(node.children[i]);
  }
}

// The model's text form, e.g. ((x1 !x4) (x2 x3)), or (and x1 x2) where functions have names.
export function write(root, functions, terminals) {
  if (root === null) return "()";
  const parts = [];
  const waiting = [root];
  while (waiting.length) {
    const node = waiting.pop();
    if (typeof node === "string") parts.push(node);
    else if (isLeaf(node)) parts.push(terminals.text(node.code));
    else {
      const name = functions[-1 - node.code];
      parts.push(name ? `(${name} ` : "(");
      waiting.push(")");
      for (let i = node.children.length - 1; i >= 0; i--) {
        waiting.push(node.children[i]);
        if (i > 0) waiting.push(" ");
      }
    }
  }
  return parts.join("");
}
