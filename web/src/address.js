// The address holds the choice: after the #, names and values as the server knows them. Defaults are left out.
export const DEFAULTS = {
  problem: document.querySelector("[name=problem] [selected]")?.value ?? "", // the one the server was started with
  algorithm: "gp-single",
  n: "10",
  init: "unity",
  seed: "0",
  run: "0",
  weights: "1,1,1",
  poisson_mean: "1",
  accept: "",
  operations: "",
  search: "",
  until: "",
  operator: "hvl-prime",
  substitute: "",
  last_leaf: "keep",
  max_leaves_allowed: "",
  budget: "",
  versus: "",
  at: "1",
  tab: "run",
  ns: "10,20,40,80,160,320", // wide enough for laws to be told apart
  runs: "200",
  lesson: "",
  part: "1",
};
const ALWAYS = ["problem", "algorithm", "n", "seed"];
const OF_THE_PAGE = ["versus", "at", "tab", "ns", "runs", "lesson", "part"];

export const END = "end"; // as a place: the last evaluation

// What a server may not know stays in the state: it says so.
export function read(hash) {
  return { ...DEFAULTS, ...Object.fromEntries(new URLSearchParams(hash.replace(/^#/, ""))) };
}

export const known = (state) => Object.fromEntries(Object.entries(state).filter(([name]) => name in DEFAULTS));

export function write(state) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (ALWAYS.includes(name) || value !== DEFAULTS[name]) words.set(name, value);
  }
  return `#${words}`;
}

// The setting of the run beside it: an algorithm as it is, without another rule or law.
export function beside(state) {
  return { ...state, algorithm: state.versus, accept: "", operations: "" };
}

// The runs to show: the setting, and what is beside it from the same tree.
export function wordsOfRuns(state) {
  const words = [wordsOf(state)];
  const isOther = state.versus && (state.versus !== state.algorithm || state.accept || state.operations);
  if (isOther) {
    const start = { start: state.algorithm, start_accept: state.accept, start_operations: state.operations };
    words.push({ ...wordsOf(beside(state)), ...start });
  }
  return words;
}

// What describes the run, for the server: not where the page stands in it.
export function wordsOf(state) {
  const words = {};
  for (const [name, value] of Object.entries(state)) {
    if (OF_THE_PAGE.includes(name)) continue;
    if (ALWAYS.includes(name) || value !== DEFAULTS[name]) words[name] = value;
  }
  return words;
}

// One key for one setting: what is beside it counts, where the page stands does not.
export function keyOf(state) {
  return JSON.stringify([Object.entries(wordsOf(state)).sort(), state.versus]);
}

// The command that makes the same run; `texts` has how it names what is not ours, `called` is what a user types to call us.
export function command(state, texts, called) {
  const options = {
    problem: "--problem",
    algorithm: "--algorithm",
    n: "-n",
    init: "--init",
    seed: "--seed",
    run: "--run",
    weights: "--weights",
    poisson_mean: "--poisson-mean",
    accept: "--accept",
    operations: "--operations",
    search: "--search",
    until: "--until",
    operator: "--operator",
    substitute: "--substitute",
    last_leaf: "--last-leaf",
    max_leaves_allowed: "--max-leaves",
    budget: "--budget",
    versus: "--versus",
  };
  const parts = [`${called} watch`];
  for (const [name, option] of Object.entries(options)) {
    const value = texts[state[name]] ?? state[name];
    if (!ALWAYS.includes(name) && value === DEFAULTS[name]) continue;
    parts.push(`${option} ${/^[\w.,:=*+/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`);
  }
  return parts.join(" ");
}
