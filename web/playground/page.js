// The page: what is asked is in the form and in the address, what was made is in `results`.
const FIELDS = ["problem", "algorithm", "versus", "ns", "runs", "seed", "budget"];
const MAX_RUNS = 100_000;
const MAX_BUDGET = 10 ** 9;
const POINTS = 400;
const BEYOND = Number.MAX_VALUE; // a budget
const USUAL = { compiled: { ns: "10, 20, 50, 100, 200", runs: "200", n: "50" }, model: { ns: "3, 4, 5, 6, 8", runs: "50", n: "6" }, multiplexer: { ns: "3, 6", runs: "20", n: "3" } };

const find = (id) => document.getElementById(id);
const form = find("form");
const results = new Map(); // "n algorithm" -> { n, algorithm, results }
const courses = []; // what is drawn of one run, by algorithm
let stopped = 0;
let request = 0;
let isRunning = false;

const waiting = new Map(); // request -> its worker, and what takes its messages

// A worker of this text. What it says goes to whoever asked.
function workerOf(...parts) {
  const worker = new Worker(URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
  worker.onmessage = ({ data }) => waiting.get(data.id)?.take(data);
  worker.onerror = (event) => leave(worker, event.message ?? "a worker did not start");
  return worker;
}

// Sends a request; resolves with its last message.
function sent(worker, words, onProgress = () => {}) {
  const id = ++request;
  return new Promise((resolve, reject) => {
    const take = (data) => {
      if (!data.error && !data.end) return onProgress(data);
      waiting.delete(id);
      if (data.error) reject(new Error(data.error));
      else resolve(data);
    };
    waiting.set(id, { worker, take });
    worker.postMessage({ ...words, id });
  });
}

// Whoever waits for this worker hears why it says nothing more.
function leave(worker, why) {
  for (const one of [...waiting.values()]) if (one.worker === worker) one.take({ error: why });
}

const compiled = workerOf(find("data").textContent, find("worker").textContent);
const isCompiled = ({ problem, algorithm }) => `${problem} ${algorithm}` in DATA.programs;

function asked(words, onProgress) {
  const program = `${words.problem} ${words.algorithm}`;
  return isCompiled(words) ? sent(compiled, { ...words, program }, onProgress) : python().then((worker) => sent(worker, words, onProgress));
}

// What is not compiled is run by Python, which is loaded when it is first needed, and again when it was stopped.
let pythonWorker = null;
const python = () => (pythonWorker ??= loadedPython());

async function loadedPython() {
  find("status").textContent = "Python is being loaded: 9 MB, once, and a few seconds …";
  if (!window.PYTHON) await scriptLoaded("python.js");
  const unpacked = await Promise.all(Object.entries(PYTHON.packed).map(async ([name, text]) => [name, await inflated(text)]));
  const worker = workerOf(PYTHON.worker);
  loadedPython.worker = worker;
  await sent(worker, { kind: "load", about: PYTHON.about, ...Object.fromEntries(unpacked) });
  return worker;
}

const scriptLoaded = (src) =>
  new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src, onload: resolve, onerror: () => reject(new Error(`${src} is not beside this page`)) });
    document.head.append(script);
  });

async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Python hears nothing while it runs, so it is ended.
function stopPython() {
  const { worker } = loadedPython;
  if (!worker) return;
  worker.terminate();
  leave(worker, "Stopped.");
  loadedPython.worker = pythonWorker = null;
}

// A number as it was typed, or an error that names the field and what is allowed.
function number(field, text, least, most) {
  const value = Number(text.trim());
  if (!/^\d+$/.test(text.trim()) || value < least || value > most)
    throw new Error(`${field}: ${JSON.stringify(text.trim())} must be an integer from ${whole(least)} to ${whole(most)}`);
  return value;
}

function setting() {
  const { problem, algorithm, versus, ns, runs, seed, budget } = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
  const sizes = ns.split(/[\s,]+/).filter(Boolean).map((n) => number("n", n, 1, DATA.maxN));
  if (!sizes.length) throw new Error("n: give at least one");
  return {
    problem,
    text: find("text").value,
    budget: number("Budget", budget, 1, MAX_BUDGET),
    algorithms: [...new Set([algorithm, versus].filter(Boolean))],
    ns: [...new Set(sizes)].sort((a, b) => a - b),
    runs: number("Runs", runs, 1, MAX_RUNS),
    seed: number("Seed", seed, 0, Number.MAX_SAFE_INTEGER),
  };
}

async function runAll() {
  const mine = ++stopped;
  results.clear();
  let asks;
  try {
    asks = setting();
  } catch (error) {
    find("status").textContent = error.message;
    return;
  }
  remember();
  isRunning = true;
  find("go").textContent = "Stop";
  draw(asks);
  let made = 0;
  try {
    if (!asks.algorithms.every((algorithm) => isCompiled({ ...asks, algorithm }))) await python();
    const begun = performance.now();
    for (const n of asks.ns) {
      for (const algorithm of asks.algorithms) {
        const tell = ({ done }) => {
          if (mine === stopped) find("status").textContent = `${DATA.algorithms[algorithm]}, n = ${whole(n)}: ${whole(done)} of ${whole(asks.runs)} runs`;
        };
        const { problem, text, budget, seed, runs } = asks;
        const { results: rows } = await asked({ kind: "many", problem, text, budget, algorithm, n, seed, runs }, tell);
        if (mine !== stopped) return;
        results.set(`${n} ${algorithm}`, { n, algorithm, rows });
        made += rows.length;
        draw(asks);
      }
    }
    const seconds = (performance.now() - begun) / 1000;
    const steps = [...results.values()].reduce((sum, { rows }) => sum + rows.reduce((all, row) => all + row.evaluations, 0), 0);
    find("status").textContent = `${whole(made)} runs, ${brief(steps)} evaluations, ${seconds.toPrecision(2)} s: ${brief(steps / seconds)} evaluations a second.`;
  } catch (error) {
    if (mine === stopped) find("status").textContent = error.message;
  }
  if (mine === stopped) halt();
}

function halt() {
  isRunning = false;
  find("go").textContent = "Run";
}

// The time of a run that the budget stopped is unknown: it lies beyond all that is known.
function summaryOf({ n, algorithm, rows }) {
  const ended = (how) => rows.filter(({ outcome }) => outcome === how);
  const times = ended("optimum").map(({ evaluations }) => evaluations);
  const [stuck, stopped] = [ended("stuck").length, ended("budget").length];
  const none = { value: null, low: null, high: null, words: stuck ? "infinite" : "unknown" };
  const all = [...times, ...Array(stopped).fill(BEYOND), ...Array(stuck).fill(Infinity)];
  return { n, algorithm, times, stuck, stopped, count: rows.length, mean: stuck || stopped ? none : meanOf(times), median: quantileOf(all, 0.5), share: shareOf(stuck, rows.length) };
}

const three = (value) => (value === null ? "" : Number(value.toPrecision(3)).toLocaleString("en-US"));
const interval = ({ low, high }) => (low === null ? "" : ` [${three(low)}, ${three(high)}]`);

function draw({ algorithms, ns }) {
  const rows = [...results.values()].map(summaryOf);
  const lines = algorithms.map((algorithm, place) => ({ place, points: rows.filter((row) => row.algorithm === algorithm) }));
  find("names").replaceChildren(...algorithms.map((algorithm, place) => Object.assign(document.createElement("li"), { className: `name-${place}`, textContent: `${"●■"[place]} ${DATA.algorithms[algorithm]}` })));
  drawGrowth(find("growth"), lines, ns);
  const notes = [
    rows.some(({ stuck }) => stuck) && "Where a run is stuck the mean is infinite, and not drawn.",
    rows.some(({ stopped }) => stopped) && "Where the budget stopped a run the mean is unknown, and not drawn.",
  ];
  find("note").textContent = notes.filter(Boolean).join(" ");
  const which = find("which");
  const known = [...new Set(rows.map(({ n }) => n))];
  const chosen = known.includes(Number(which.value)) && which.dataset.chosen ? Number(which.value) : known[known.length - 1];
  which.replaceChildren(...known.map((n) => new Option(whole(n), n, n === chosen, n === chosen)));
  drawTimes(find("times"), rows.filter(({ n }) => n === chosen).map((row) => ({ ...row, place: algorithms.indexOf(row.algorithm) })));
  find("table").tBodies[0].replaceChildren(...rows.map(tableRow));
  find("csv").disabled = !rows.length;
  find("command").textContent = ns.flatMap((n) => algorithms.map((algorithm) => commandOf(n, algorithm))).join("\n");
}

function tableRow({ n, algorithm, count, mean, median, share, stuck, stopped }) {
  const cells = [whole(n), DATA.algorithms[algorithm], whole(count)];
  cells.push(mean.words ?? three(mean.value) + interval(mean));
  cells.push(median === Infinity ? "infinite" : median === BEYOND ? "beyond the budget" : whole(median));
  cells.push(stopped ? `${whole(stuck)} stuck, ${whole(stopped)} stopped` : three(share.value) + interval(share));
  cells.push(mean.value === null || n < 2 ? "" : three(mean.value / (n * Math.log(n))), mean.value === null ? "" : three(mean.value / n ** 2));
  const row = document.createElement("tr");
  row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
  return row;
}

function commandOf(n, algorithm) {
  const { problem, runs, seed, budget } = form.elements;
  const names = [...find("text").value.matchAll(/@problem[^]*?\ndef\s+(\w+)/g)].map(([, name]) => name);
  const name = problem.value === DATA.own ? `own.py:${names[names.length - 1]}` : problem.value;
  const more = isCompiled({ problem: problem.value, algorithm }) ? "" : ` --budget ${budget.value.trim()}`;
  return `gpruntime run --problem ${name} --algorithm ${algorithm} -n ${n} --seed ${seed.value.trim()} --runs ${runs.value.trim()}${more} --method stepping`;
}

function save() {
  const columns = ["outcome", "evaluations", "fitness", "leaves", "max_leaves"];
  const { problem, seed } = form.elements;
  const lines = [...results.values()].flatMap(({ n, algorithm, rows }) => rows.map((row, run) => [problem.value, algorithm, n, seed.value.trim(), run, ...columns.map((name) => row[name])].join()));
  const text = [["problem", "algorithm", "n", "seed", "run", ...columns].join(), ...lines, ""].join("\n");
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: "runs.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function showOne() {
  try {
    const asks = setting();
    const n = number("n", find("one").elements.n.value, 1, DATA.maxN);
    const run = number("Run", find("one").elements.run.value, 0, 2 ** 32 - 1);
    find("beside").hidden = asks.algorithms.length < 2;
    find("one-status").textContent = "…";
    const { problem, text, budget, seed } = asks;
    const words = [];
    for (const [place, algorithm] of asks.algorithms.entries()) {
      const { course, end, best = n } = await asked({ kind: "course", problem, text, budget, algorithm, n, seed, run, points: POINTS });
      find(place ? "one-b" : "one-a").textContent = DATA.algorithms[algorithm];
      courses[place] = [find(`course-${place}`), course, best];
      drawCourse(...courses[place]);
      words.push(`${DATA.algorithms[algorithm]}: ${end.outcome} after ${whole(end.evaluations)} evaluations, ${whole(end.leaves)} leaves.`);
    }
    find("one-status").textContent = words.join(" ");
  } catch (error) {
    find("one-status").textContent = error.message;
  }
}

function remember() {
  const words = new URLSearchParams(FIELDS.map((name) => [name, form.elements[name].value.trim()]));
  history.replaceState(null, "", `#${words}`);
}

function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of FIELDS) {
    const value = words.get(name);
    if (value === null) continue;
    const field = form.elements[name];
    if (!field.options || [...field.options].some((option) => option.value === value)) field.value = value;
  }
  return words;
}

// What is asked for beside the problem: usual values take the place of usual values, but not of what the address says.
function suit(said) {
  const { problem, algorithm, versus } = form.elements;
  const model = [algorithm, versus].some(({ value }) => value && !isCompiled({ problem: problem.value, algorithm: value }));
  const usual = USUAL[problem.value] ?? USUAL[model ? "model" : "compiled"];
  for (const [field, value] of Object.entries(usual)) {
    const input = form.elements[field] ?? find("one").elements[field];
    if (!said.has(field) && Object.values(USUAL).some((one) => one[field] === input.value)) input.value = value;
  }
  find("budget").hidden = !model;
  find("own").hidden = problem.value !== DATA.own;
  find("line").textContent = DATA.problems[problem.value].line;
}

const options = (names) => Object.entries(names).map(([value, name]) => new Option(name, value));
form.elements.problem.append(...options(Object.fromEntries(Object.entries(DATA.problems).map(([id, { name }]) => [id, name]))));
form.elements.algorithm.append(...options(DATA.algorithms));
form.elements.versus.append(new Option("nothing", ""), ...options(DATA.algorithms));
form.elements.versus.value = "gpstar-single";
find("text").value = sessionStorage.getItem("own") ?? DATA.example;
find("text").addEventListener("input", () => sessionStorage.setItem("own", find("text").value));
for (const name of ["problem", "algorithm", "versus"]) form.elements[name].addEventListener("change", () => suit(new Set()));
suit(recall());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isRunning) return void runAll();
  stopped += 1;
  compiled.postMessage({ kind: "stop" });
  stopPython();
  find("status").textContent = "Stopped.";
  halt();
});
find("csv").addEventListener("click", save);
find("one").addEventListener("submit", (event) => {
  event.preventDefault();
  showOne();
});
find("which").addEventListener("change", () => {
  find("which").dataset.chosen = "yes";
  draw(setting());
});
window.addEventListener("resize", () => {
  if (results.size) draw(setting());
  courses.forEach((course) => drawCourse(...course));
});
runAll().then(showOne);
