// Where the nodes of a drawn tree go: leaves from left to right in their order, joins above the middle of their children.
//
// A large tree is folded: the largest subtrees are opened until there are as many tips as fit, and the way to the leaves of
// the operation at hand is always open. A tip is a leaf or a folded subtree. What the user opened or folded stays so.
import { isLeaf } from "./tree.js";

const LEAST_SPACING = 25; // with a name of two digits; on a phone a little less
const PHONE = 600;
const MOST_SPACING = 46;
const LEAST_LEVEL = 15;
const MOST_LEVEL = 44;
const MARGIN = 24;

// Leaves below each node, and the parents; by id.
function measure(root) {
  const order = [];
  const waiting = [root];
  const parent = new Map();
  while (waiting.length) {
    const node = waiting.pop();
    order.push(node);
    for (let i = node.children.length - 1; i >= 0; i--) {
      parent.set(node.children[i].id, node);
      waiting.push(node.children[i]);
    }
  }
  const size = new Map();
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i];
    size.set(node.id, isLeaf(node) ? 1 : node.children.reduce((sum, child) => sum + size.get(child.id), 0));
  }
  return { order, parent, size };
}

// The joins to draw open.
function openJoins(root, touched, most, choices, { order, parent, size }) {
  const open = new Set();
  for (const node of order) {
    if (!touched.has(node.id)) continue;
    if (!isLeaf(node)) open.add(node.id);
    for (let above = parent.get(node.id); above; above = parent.get(above.id)) open.add(above.id);
  }
  let tips = 1;
  for (const node of order) if (open.has(node.id)) tips += node.children.length - 1;
  // The largest first: sizes below a join are smaller, so buckets by size need one pass downwards.
  const bySize = new Map();
  const put = (node) => {
    if (isLeaf(node)) return;
    const count = size.get(node.id);
    if (!bySize.has(count)) bySize.set(count, []);
    bySize.get(count).push(node);
  };
  put(root);
  for (let count = size.get(root.id); count > 0; count--) {
    for (const node of bySize.get(count) ?? []) {
      const isOpen = open.has(node.id);
      if (!isOpen && (tips >= most || choices.get(node.id) === "folded")) continue;
      if (!isOpen) {
        open.add(node.id);
        tips += node.children.length - 1;
      }
      node.children.forEach(put);
    }
  }
  for (const [id, choice] of choices) {
    if (choice === "open") open.add(id);
    else if (choice === "folded") open.delete(id);
  }
  return open;
}

// { nodes: [{ node, x, y, folded (leaves below), parent }], width, height, radius }
export function layout(root, touched, { width, height, unfolded, choices, digits }) {
  if (root === null) return { nodes: [], width, height, radius: 14, leaves: 0, foldedCount: 0 };
  const measured = measure(root);
  const leaves = measured.size.get(root.id);
  const leastSpacing = (width < PHONE ? 0.8 : 1) * LEAST_SPACING + 4 * Math.max(0, digits - 2);
  const fitting = Math.max(8, Math.floor((width - 2 * MARGIN) / leastSpacing));
  const open =
    unfolded || leaves <= fitting
      ? new Set(measured.order.filter((node) => choices.get(node.id) !== "folded").map((node) => node.id))
      : openJoins(root, touched, fitting, choices, measured);
  const places = [];
  let tips = 0;
  let deepest = 0;
  const waiting = [{ node: root, depth: 0, parent: null }];
  while (waiting.length) {
    const { node, depth, parent } = waiting.pop();
    const isTip = isLeaf(node) || !open.has(node.id);
    const place = { node, depth, parent, x: 0, y: 0, children: [], folded: 0 };
    if (parent) parent.children.push(place);
    places.push(place);
    deepest = Math.max(deepest, depth);
    if (isTip) {
      place.folded = isLeaf(node) ? 0 : measured.size.get(node.id);
      place.x = tips++;
    } else {
      for (let i = node.children.length - 1; i >= 0; i--) waiting.push({ node: node.children[i], depth: depth + 1, parent: place });
    }
  }
  const spacing = clamp((width - 2 * MARGIN) / Math.max(tips, 1), leastSpacing, MOST_SPACING);
  const scale = Math.min(1, width / (tips * spacing + 2 * MARGIN)); // a wide tree is made smaller: then it can be taller
  const level = clamp((height / scale - 2 * MARGIN - 12) / Math.max(deepest, 1), LEAST_LEVEL, MOST_LEVEL / scale);
  for (let i = places.length - 1; i >= 0; i--) {
    const place = places[i];
    const isTip = place.children.length === 0;
    place.x = isTip ? MARGIN + (place.x + 0.5) * spacing : (place.children[0].x + place.children.at(-1).x) / 2;
    place.y = MARGIN + place.depth * level;
  }
  return {
    nodes: places,
    width: tips * spacing + 2 * MARGIN,
    height: deepest * level + 2 * MARGIN + 8,
    radius: Math.min(16, spacing * 0.46, level * 0.75),
    leaves,
    foldedCount: places.filter((place) => place.folded).length,
  };
}

const clamp = (value, least, most) => Math.max(least, Math.min(value, most));
