// The worker: runs are made here, so that the page answers meanwhile. A new request ends the one before it.
const programs = new Map();
let current = 0;

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

async function programOf(name, use = "many") {
  const key = `${use} ${name}`;
  if (!programs.has(key)) programs.set(key, await loaded(DATA.programs[name]));
  return programs.get(key);
}

async function makeMany({ id, program: name, n, seed, runs }) {
  const program = await programOf(name);
  let sent = 0;
  let last = 0;
  const tell = async (results) => {
    if (performance.now() - last > 100) {
      last = performance.now();
      postMessage({ id, n, name, done: results.length, runs });
      await pause();
    }
    return id === current;
  };
  const results = await madeRuns(program, DATA.leavesForN, { n, seed, runs }, tell);
  if (id !== current) return;
  postMessage({ id, n, name, end: true, results: results.map(({ row }) => resultOf(row, 0)) });
}

// By an instance of its own: many runs may be under way.
async function makeCourse({ id, program: name, ...wanted }) {
  const program = await programOf(name, "course");
  postMessage({ id, n: wanted.n, name, ...(await courseOf(program, DATA.leavesForN, wanted)) });
}

onmessage = async ({ data }) => {
  if (data.kind === "stop") {
    current = 0;
    return;
  }
  if (data.kind === "many") current = data.id;
  try {
    await (data.kind === "many" ? makeMany(data) : makeCourse(data));
  } catch (error) {
    postMessage({ id: data.id, n: data.n, name: data.program, error: error.message });
  }
};
