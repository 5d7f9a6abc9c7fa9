// What is on show, as a picture (PNG) and as a table (CSV). Both are made here: nothing is asked for.
const SCALE = 2;
const PADDING = 16;
const ROW = 22;
// Presentation attributes: a page whose policy forbids inline styles may still have these.
const COPIED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap"];
COPIED.push("opacity", "font-family", "font-size", "font-weight", "text-anchor", "visibility", "display", "paint-order");

export function csvOf(runs) {
  const rows = runs.flatMap((run) => run.points.map((point) => [quoted(run.start.name), ...point].join(",")));
  return ["run,evaluations,fitness,leaves,improved", ...rows, ""].join("\n");
}

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

export function download(name, blob) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Panels side by side, each with its words, its tree and its course.
export async function pngOf(panels) {
  const parts = await Promise.all(panels.map(prepared));
  const width = parts.reduce((sum, part) => sum + part.width, 0);
  const height = Math.max(...parts.map((part) => part.height));
  const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.fillStyle = colour("--ground");
  context.fillRect(0, 0, width, height);
  let left = 0;
  for (const part of parts) {
    context.save();
    context.translate(left, 0);
    part.draw(context);
    context.restore();
    left += part.width;
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function prepared(panel) {
  const { element } = panel;
  const tree = element.querySelector(".tree-area");
  const course = element.querySelector("svg.course");
  const width = Math.max(tree.clientWidth, course.clientWidth) + 2 * PADDING;
  const images = [];
  const dots = element.querySelector(".scatter svg");
  if (!panel.treeBox.classList.contains("absent")) images.push(await imageOf(panel.tree.isSvg ? tree.querySelector("svg") : panel.tree.canvas));
  if (dots) images.push(await imageOf(dots));
  if (getComputedStyle(course.parentElement).opacity !== "0") images.push(await imageOf(course));
  const lines = wordsOf(panel, width - 2 * PADDING);
  const height = 2 * PADDING + lines.length * ROW + images.reduce((sum, image) => sum + image.height + PADDING, 0);
  const draw = (context) => {
    let top = PADDING;
    for (const { text, font } of lines) {
      context.font = font;
      context.fillStyle = colour("--text");
      context.fillText(text, PADDING, top + 15);
      top += ROW;
    }
    for (const { image, width: wide, height: high } of images) {
      context.drawImage(image, PADDING, top + PADDING / 2, wide, high);
      top += high + PADDING;
    }
  };
  return { width, height, draw };
}

function wordsOf(panel, width) {
  const [title, words] = ["600 17px system-ui, sans-serif", "15px system-ui, sans-serif"];
  const numbers = [...panel.numbers.querySelectorAll("div")].map((one) => `${one.lastElementChild.textContent} ${one.firstElementChild.textContent}`);
  const told = [panel.operation.textContent, panel.verdict.textContent].filter(Boolean);
  const lines = [{ text: panel.title.textContent, font: title }];
  for (const text of [numbers.join(", "), ...told]) lines.push(...wrapped(text, words, width));
  return lines;
}

function wrapped(text, font, width) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (context.measureText(longer).width > width && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => ({ text: line, font }));
}

// An SVG as an image, with the look that the page's style gives it; a canvas is one already.
async function imageOf(shown) {
  const { width, height } = shown.getBoundingClientRect();
  if (shown instanceof HTMLCanvasElement) return { image: shown, width, height };
  const copy = copied(shown);
  copy.append(copied(document.querySelector(".patterns defs")));
  copy.setAttribute("display", "inline");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  return { image, width, height };
}

// With the look as attributes.
function copied(shown) {
  const copy = shown.cloneNode(true);
  const [from, to] = [[shown, ...shown.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((one, place) => {
    const style = getComputedStyle(one);
    for (const name of COPIED) to[place].setAttribute(name, style.getPropertyValue(name));
    to[place].removeAttribute("style");
    to[place].removeAttribute("class");
  });
  return copy;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
