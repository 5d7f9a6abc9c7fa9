// The address holds the choice: after the #, names and values as the server knows them. Defaults are left out.
export const DEFAULTS = {
  problem: "majority",
  algorithm: "gp-single",
  n: "10",
  init: "unity",
  seed: "0",
  run: "0",
  weights: "1,1,1",
  poisson_mean: "1",
  operator: "hvl-prime",
  substitute: "leaves",
  last_leaf: "keep",
  max_leaves_allowed: "",
  budget: "",
  versus: "",
  at: "1",
  tab: "run",
  ns: "10,20,50,100",
  runs: "200",
};
const ALWAYS = ["problem", "algorithm", "n", "seed"];
const OF_THE_PAGE = ["versus", "at", "tab", "ns", "runs"];

export function read(hash) {
  const given = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  return { ...DEFAULTS, ...Object.fromEntries(Object.entries(given).filter(([name]) => name in DEFAULTS)) };
}

export function write(state) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (ALWAYS.includes(name) || value !== DEFAULTS[name]) words.set(name, value);
  }
  return `#${words}`;
}

// What describes the run, for the server: not where the page stands in it.
export function wordsOf(state, algorithm = state.algorithm) {
  const words = {};
  for (const [name, value] of Object.entries(state)) {
    if (OF_THE_PAGE.includes(name)) continue;
    if (ALWAYS.includes(name) || value !== DEFAULTS[name]) words[name] = value;
  }
  words.algorithm = algorithm;
  if (algorithm !== state.algorithm) words.start = state.algorithm;
  return words;
}

// The command that makes the same run.
export function command(state) {
  const options = {
    problem: "--problem",
    algorithm: "--algorithm",
    n: "-n",
    init: "--init",
    seed: "--seed",
    run: "--run",
    weights: "--weights",
    poisson_mean: "--poisson-mean",
    operator: "--operator",
    substitute: "--substitute",
    last_leaf: "--last-leaf",
    max_leaves_allowed: "--max-leaves",
    budget: "--budget",
    versus: "--versus",
  };
  const parts = ["gpruntime watch"];
  for (const [name, option] of Object.entries(options)) {
    const value = state[name];
    if (!ALWAYS.includes(name) && value === DEFAULTS[name]) continue;
    parts.push(`${option} ${/^[\w.,:=*+-]+$/.test(value) ? value : `'${value}'`}`);
  }
  return parts.join(" ");
}
