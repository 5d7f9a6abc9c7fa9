// Runs of one program, in slices.
const OUTCOMES = ["optimum", "stuck", "budget"];
const OUTGROWN = 3; // the run had too little memory, and is made again with more
const COLUMNS = 11; // of a result: outcome, evaluations, fitness, leaves, max_leaves, …
const MEMORY = 2 ** 25; // bytes that planted trees of a batch may take
const BYTES_A_LEAF = 160;
const FIRST_STEPS = 2 ** 14;
const SLICE_MS = 40;

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function loaded(program) {
  const { instance } = await WebAssembly.instantiate(bytesOf(program.wasm), {});
  return { ...program, exports: instance.exports };
}

function begun(program, n, seed, first, runs, room) {
  const { pool, constant } = mixedPool(seed, cellOf(program.law.replace("{n}", n)));
  const at = program.exports.begin(n, ...pool, constant, first, runs, room);
  if (!at) throw new Error(`n = ${n} takes more memory than this browser gives`);
  return at >>> 0;
}

const rowsOf = (program, at, runs) => new BigInt64Array(program.exports.memory.buffer, at, COLUMNS * runs);
const usualRoom = (leaves) => 4 * leaves + 32 * Math.ceil(Math.sqrt(leaves)) + 1000;

const resultOf = (rows, place) => {
  const [outcome, evaluations, fitness, leaves, most] = [0, 1, 2, 3, 4].map((column) => Number(rows[COLUMNS * place + column]));
  return { outcome: OUTCOMES[outcome], evaluations, fitness, leaves, max_leaves: most };
};

// Makes runs 0 … runs − 1, and says after each slice how many have ended: (results) => whether to go on.
async function madeRuns(program, leavesForN, { n, seed, runs }, tell) {
  const results = [];
  const room = usualRoom(leavesForN * n);
  const batch = Math.max(1, Math.min(runs, Math.floor(MEMORY / (BYTES_A_LEAF * room))));
  for (let first = 0; first < runs; first += batch) {
    const some = Math.min(batch, runs - first);
    if (!(await madeBatch(program, n, seed, first, some, room, results, tell))) return results;
  }
  return results;
}

async function madeBatch(program, n, seed, first, runs, room, results, tell) {
  const at = begun(program, n, seed, first, runs, room);
  let steps = FIRST_STEPS;
  for (let ended = 0; ended < runs; ) {
    const since = performance.now();
    ended = program.exports.slice(steps);
    steps = Math.round(Math.min(2 ** 30, Math.max(2 ** 10, (steps * SLICE_MS) / Math.max(performance.now() - since, 1))));
    // Runs of one lane end in their order.
    const rows = rowsOf(program, at, runs);
    for (let place = results.length - first; place < ended; place++) results.push({ run: first + place, row: rows.slice(COLUMNS * place, COLUMNS * (place + 1)) });
    if (!(await tell(results))) return false;
  }
  for (let place = first; place < first + runs; place++) {
    if (Number(results[place].row[0]) === OUTGROWN) results[place].row = await wholeRow(program, n, seed, place, 2 * room, () => tell(results));
    if (!results[place].row) return false;
  }
  return true;
}

// The result of one run, with more memory where it is too little; null if `goesOn` says so.
async function wholeRow(program, n, seed, run, room, goesOn) {
  const at = begun(program, n, seed, run, 1, room);
  while (!program.exports.slice(2 ** 20)) if (!(await goesOn())) return null;
  const row = rowsOf(program, at, 1).slice();
  return Number(row[0]) === OUTGROWN ? wholeRow(program, n, seed, run, 2 * room, goesOn) : row;
}

// One run, looked at some `points` times: [evaluations, fitness, leaves], and its result.
async function courseOf(program, leavesForN, { n, seed, run, points }) {
  const room = usualRoom(leavesForN * n);
  const end = resultOf(await wholeRow(program, n, seed, run, room, () => true), 0);
  const at = begun(program, n, seed, run, 1, Math.max(room, 2 * end.max_leaves + 1000));
  const course = [];
  const steps = Math.max(1, Math.ceil(end.evaluations / points));
  const look = () => course.push([...new BigInt64Array(program.exports.memory.buffer, program.exports.under_way(), 3)].map(Number));
  while (!program.exports.slice(steps)) look();
  if (Number(rowsOf(program, at, 1)[1]) !== end.evaluations) throw new Error("the run is not the same twice");
  return { course: [...course, [end.evaluations, end.fitness, end.leaves]], end };
}
