// Builds the page into the Python package: one script and one style sheet, with the licences of what is in them.
// `node build.mjs DIRECTORY` writes elsewhere: a test compares the two.
import { build } from "esbuild";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "src", "gpruntime", "watch", "static");
mkdirSync(target, { recursive: true });

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  charset: "utf8",
  target: "es2021",
  legalComments: "none", // the licences are written below, whole
  write: false,
  metafile: true,
};
const script = await build({ ...common, entryPoints: ["src/main.js"], format: "iife" });
const style = await build({ ...common, entryPoints: ["src/style.css"] });

function packages(metafile) {
  const names = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const match = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (match) names.add(match[1]);
  }
  return [...names].sort();
}

// One text for all packages that share it.
const byText = new Map();
for (const name of packages(script.metafile)) {
  const folder = join(here, "node_modules", name);
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((one) => join(folder, one)).find(existsSync);
  if (!file) throw new Error(`${name} has no licence file`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(file, "utf8").trim();
  byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
}
const notice = [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n---\n\n");
const banner = `/*! The page of gpruntime watch (MIT). It contains:\n\n${notice}\n*/\n`;

writeFileSync(join(target, "page.js"), banner + script.outputFiles[0].text);
writeFileSync(join(target, "page.css"), style.outputFiles[0].text);
copyFileSync(join(here, "src", "page.html"), join(target, "page.html"));
