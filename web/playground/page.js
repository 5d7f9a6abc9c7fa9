// The page: what is asked is in the form and in the address, what was made is in `results`.
const ALGORITHMS = { "gp-single": "GP-single", "gp-multi": "GP-multi", "gpstar-single": "GP*-single", "gpstar-multi": "GP*-multi" };
const FIELDS = ["problem", "algorithm", "versus", "ns", "runs", "seed"];
const MAX_RUNS = 100_000;
const POINTS = 400;

const find = (id) => document.getElementById(id);
const form = find("form");
const results = new Map(); // "n algorithm" -> { n, algorithm, results }
let stopped = 0;
let request = 0;
let isRunning = false;

const worker = new Worker(URL.createObjectURL(new Blob([find("data").textContent, find("worker").textContent], { type: "text/javascript" })));
const waiting = new Map(); // request -> what takes its messages

worker.onmessage = ({ data }) => waiting.get(data.id)?.(data);

// Sends a request; resolves with its last message.
function asked(words, onProgress = () => {}) {
  const id = ++request;
  return new Promise((resolve, reject) => {
    waiting.set(id, (data) => {
      if (data.error) reject(new Error(data.error));
      else if (data.end) resolve(data);
      else return onProgress(data);
      waiting.delete(id);
    });
    worker.postMessage({ ...words, id });
  });
}

// A number as it was typed, or an error that names the field and what is allowed.
function number(field, text, least, most) {
  const value = Number(text.trim());
  if (!/^\d+$/.test(text.trim()) || value < least || value > most)
    throw new Error(`${field}: ${JSON.stringify(text.trim())} must be an integer from ${whole(least)} to ${whole(most)}`);
  return value;
}

function setting() {
  const { problem, algorithm, versus, ns, runs, seed } = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
  const sizes = ns.split(/[\s,]+/).filter(Boolean).map((n) => number("n", n, 1, DATA.maxN));
  if (!sizes.length) throw new Error("n: give at least one");
  return {
    problem,
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
  const begun = performance.now();
  let made = 0;
  try {
    for (const n of asks.ns) {
      for (const algorithm of asks.algorithms) {
        const name = `${asks.problem} ${algorithm}`;
        const tell = ({ done }) => {
          if (mine === stopped) find("status").textContent = `${ALGORITHMS[algorithm]}, n = ${whole(n)}: ${whole(done)} of ${whole(asks.runs)} runs`;
        };
        const { results: rows } = await asked({ kind: "many", program: name, n, seed: asks.seed, runs: asks.runs }, tell);
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
  halt();
}

function halt() {
  isRunning = false;
  find("go").textContent = "Run";
}

function summaryOf({ n, algorithm, rows }) {
  const times = rows.filter(({ outcome }) => outcome === "optimum").map(({ evaluations }) => evaluations);
  const stuck = rows.length - times.length;
  const infinite = { value: null, low: null, high: null };
  const all = [...times, ...Array(stuck).fill(Infinity)];
  return { n, algorithm, times, stuck, count: rows.length, mean: stuck ? infinite : meanOf(times), median: quantileOf(all, 0.5), share: shareOf(stuck, rows.length) };
}

const three = (value) => (value === null ? "" : Number(value.toPrecision(3)).toLocaleString("en-US"));
const interval = ({ low, high }) => (low === null ? "" : ` [${three(low)}, ${three(high)}]`);

function draw({ algorithms, ns }) {
  const rows = [...results.values()].map(summaryOf);
  const lines = algorithms.map((algorithm, place) => ({ place, points: rows.filter((row) => row.algorithm === algorithm) }));
  find("names").replaceChildren(...algorithms.map((algorithm, place) => Object.assign(document.createElement("li"), { className: `name-${place}`, textContent: `${"●■"[place]} ${ALGORITHMS[algorithm]}` })));
  drawGrowth(find("growth"), lines, ns);
  const isStuck = rows.some(({ stuck }) => stuck);
  find("note").textContent = isStuck ? "Where a run is stuck the mean is infinite, and not drawn: the table has P(stuck)." : "";
  const which = find("which");
  const known = [...new Set(rows.map(({ n }) => n))];
  const chosen = known.includes(Number(which.value)) && which.dataset.chosen ? Number(which.value) : known[known.length - 1];
  which.replaceChildren(...known.map((n) => new Option(whole(n), n, n === chosen, n === chosen)));
  drawTimes(find("times"), rows.filter(({ n }) => n === chosen).map((row) => ({ ...row, place: algorithms.indexOf(row.algorithm) })));
  find("table").tBodies[0].replaceChildren(...rows.map(tableRow));
  find("csv").disabled = !rows.length;
  find("command").textContent = ns.flatMap((n) => algorithms.map((algorithm) => commandOf(n, algorithm))).join("\n");
}

function tableRow({ n, algorithm, count, mean, median, share }) {
  const cells = [whole(n), ALGORITHMS[algorithm], whole(count)];
  cells.push(mean.value === null ? "infinite" : three(mean.value) + interval(mean));
  cells.push(median === Infinity ? "infinite" : whole(median));
  cells.push(three(share.value) + interval(share));
  cells.push(mean.value === null || n < 2 ? "" : three(mean.value / (n * Math.log(n))), mean.value === null ? "" : three(mean.value / n ** 2));
  const row = document.createElement("tr");
  row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
  return row;
}

const commandOf = (n, algorithm) => {
  const { problem, runs, seed } = form.elements;
  return `gpruntime run --problem ${problem.value} --algorithm ${algorithm} -n ${n} --seed ${seed.value.trim()} --runs ${runs.value.trim()} --method stepping`;
};

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
    const words = [];
    for (const [place, algorithm] of asks.algorithms.entries()) {
      const { course, end } = await asked({ kind: "course", program: `${asks.problem} ${algorithm}`, n, seed: asks.seed, run, points: POINTS });
      find(place ? "one-b" : "one-a").textContent = ALGORITHMS[algorithm];
      drawCourse(find(`course-${place}`), course, n);
      words.push(`${ALGORITHMS[algorithm]}: ${end.outcome} after ${whole(end.evaluations)} evaluations, ${whole(end.leaves)} leaves.`);
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
}

form.elements.algorithm.append(...Object.entries(ALGORITHMS).map(([value, text]) => new Option(text, value)));
form.elements.versus.append(new Option("nothing", ""), ...Object.entries(ALGORITHMS).map(([value, text]) => new Option(text, value)));
form.elements.versus.value = "gpstar-single";
recall();
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isRunning) return void runAll();
  stopped += 1;
  worker.postMessage({ kind: "stop" });
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
window.addEventListener("resize", () => results.size && draw(setting()));
runAll().then(showOne);
