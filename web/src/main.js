// The page: the address decides, everything else follows.
import { END, command, keyOf, known, read, wordsOfRuns, write } from "./address.js";
import { ChoicesForm } from "./choices.js";
import { LessonView } from "./lesson.js";
import { Many } from "./many.js";
import { whole } from "./numbers.js";
import { Panel } from "./panel.js";
import { Player, SPEEDS, speedText } from "./player.js";
import { element, rich } from "./rich.js";
import { csvOf, download, pngOf } from "./save.js";
import { Settings } from "./settings.js";
import { FileSource, ServerSource, asked, explained } from "./source.js";

const find = (name) => document.querySelector(name);
const embedded = find("#data") ? JSON.parse(find("#data").textContent) : null;

// How a command names what is not ours, by id.
const texts = embedded ? embedded.texts : JSON.parse(find("#settings").dataset.texts);

// In a file the address says where the reader is, and what was chosen of what the file has; the rest is the file's.
const tries = embedded ? [embedded.choices, ...(embedded.lesson?.parts.map((part) => part.tries) ?? [])] : [];
const OF_A_FILE = ["part", "at", ...new Set(tries.flatMap((names) => Object.keys(names)))];

let state = embedded ? stateOfFile(location.hash) : read(location.hash);
let panels = [];
let runKey = null;
let isReady = false;

function stateOfFile(hash) {
  const given = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  const base = beginningOf(given.part ?? "1");
  const found = { ...base, ...Object.fromEntries(Object.entries(given).filter(([name]) => OF_A_FILE.includes(name))) };
  return sceneOf(found) ? found : base;
}

// Where a part of the file's lesson begins; without one, the first scene.
function beginningOf(part) {
  const { lesson: own, scenes } = embedded;
  const found = own?.parts[part - 1];
  return found ? stateOfPart(own.name, part, found) : { ...read(""), ...scenes[0].state };
}

function stateOfPart(name, place, part) {
  return { ...read(""), ...part.state, lesson: name, part: String(place), at: part.at < 0 ? END : String(part.at) };
}

function sceneOf(one) {
  return embedded.scenes.find((scene) => keyOf({ ...read(""), ...scene.state }) === keyOf(one));
}

function written() {
  if (!embedded) return write(state);
  const base = beginningOf(state.part);
  const names = OF_A_FILE.filter((name) => name === "at" || (name === "part" && state.lesson) || state[name] !== base[name]);
  return `#${new URLSearchParams(names.map((name) => [name, state[name]]))}`;
}

const placeOf = (at) => (at === END ? Infinity : Number(at) || 1);

// A page that shows this one may ask it to play (?play), unless the reader wants nothing to move.
let plays = new URLSearchParams(location.search).has("play") && !matchMedia("(prefers-reduced-motion: reduce)").matches;

const player = new Player({
  getRuns: () => panels.map((panel) => panel.run),
  onMove: (t) => {
    state.at = String(t);
    rememberPlace();
    return Promise.all(panels.map((panel) => panel.show(t)));
  },
});

let placeTimer = null;
function rememberPlace() {
  clearTimeout(placeTimer);
  placeTimer = setTimeout(() => history.replaceState(null, "", written()), 250);
}

function makeRuns() {
  for (const panel of panels) panel.close();
  player.pause();
  isReady = false;
  const sources = embedded
    ? sceneOf(state).runs.map((run) => new FileSource(run))
    : wordsOfRuns(state).map((words) => new ServerSource(words));
  const wanted = placeOf(state.at);
  panels = sources.map(
    (source) =>
      new Panel(find("#panel"), source, {
        onSeek: (t) => {
          player.pause();
          player.go(t);
        },
        onLog: setLog,
        onChange: () => onData(wanted),
        onWhy: showDefinitions,
        isSecret: () => lesson.isAsking,
      }),
  );
  setLog(isLog, false);
  find("#panels").replaceChildren(...panels.map((panel) => panel.element));
  find("#panels").classList.toggle("two", panels.length > 1);
  for (const panel of panels) panel.load();
}

// The course grows: the axis follows, and the place that the address asks for is shown once it is known.
function onData(wanted) {
  const most = player.last;
  for (const panel of panels) panel.drawCourse(most, panels.find((one) => one !== panel));
  showSigns(panels[0].run.start);
  const isKnown = panels.every((panel) => panel.run.points.length && (panel.run.end || panel.run.upto >= wanted));
  if (!isReady && isKnown) {
    isReady = true;
    player.go(wanted);
    if (plays) player.toggle();
    plays = false;
  }
  // Of two runs the longer one would leave the other no room.
  const lasts = panels.map((panel) => panel.run.last);
  if (player.isComplete && !isLogChosen) setLog(Math.max(...lasts) > 8 * Math.min(...lasts) && lasts.length > 1, false);
  showTransport();
}

// Help has the signs of what is shown. What a leaf's standing means is the problem's to say.
function showSigns(start) {
  if (!start) return;
  const kinds = [...document.querySelectorAll("[data-signs]")];
  const mine = kinds.find((list) => list.dataset.signs === start.view) ?? kinds[0];
  for (const list of kinds) list.hidden = list !== mine;
  const { legend } = start;
  if (!legend) return;
  for (const words of document.querySelectorAll("[data-standing]")) {
    const said = legend[words.dataset.standing];
    words.replaceChildren(...rich(said ?? ""));
    words.hidden = words.previousElementSibling.hidden = !said;
  }
}

function showTransport() {
  const play = find('[data-do="play"]');
  play.classList.toggle("playing", player.isPlaying);
  play.setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
  // Nobody can listen as fast as it plays.
  for (const panel of panels) panel.telling.setAttribute("aria-live", player.isPlaying ? "off" : "polite");
  find("#speed").value = player.speed;
  find("#speed").setAttribute("aria-valuetext", speedText(player.speed));
  find("#speed-text").textContent = `${whole(SPEEDS[player.speed])}/s`;
  if (document.activeElement !== find("#at")) find("#at").value = whole(player.t);
  find("#of").textContent = ` of ${whole(player.last)}${player.isComplete ? "" : " …"}`;
}
player.onState = showTransport;

const actions = {
  start: () => player.start(),
  back: () => player.stepBy(-1),
  play: () => player.toggle(),
  step: () => player.stepBy(1),
  end: () => player.end(),
  accepted: () => player.nextAccepted(),
  improvement: () => player.nextImprovement(),
};

// What was changed in the form becomes the setting once the server takes it. Until then the run on show stays, and so does
// what was typed: the next change may be the one that makes it good.
let changes = {};
const settings = new Settings(find("#settings"), async (change) => {
  changes = { ...changes, ...change };
  const mine = changes;
  const isNewRun = Object.keys(mine).some((name) => name !== "versus");
  const next = { ...known(state), ...mine, at: isNewRun ? "1" : state.at };
  try {
    await Promise.all(wordsOfRuns(next).map((words) => asked("/api/check", words)));
  } catch (error) {
    if (mine === changes) settings.refuse({ field: error.field, message: explained(error) });
    return;
  }
  if (mine === changes) apply({ ...next, at: isNewRun ? "1" : state.at }, "push");
});
const many = new Many(document, { getState: () => state, getKind: () => settings.kind, onChange: (change) => apply({ ...state, ...change }, "replace") });

function apply(next, how) {
  state = next;
  changes = {};
  clearTimeout(placeTimer);
  if (how === "push") history.pushState(null, "", written());
  if (how === "replace") history.replaceState(null, "", written());
  settings.show(state);
  find("#command").textContent = command(state, texts, find("#command").dataset.command);
  showTab();
  if (!embedded) many.show(state);
  showLesson();
  const key = keyOf(state);
  if (key !== runKey) {
    runKey = key;
    makeRuns();
  } else if (isReady && placeOf(state.at) !== player.t) {
    player.pause();
    player.go(placeOf(state.at));
  }
}

// ---- lessons, and what can be changed in a file

const lesson = new LessonView(find("#lesson"), {
  lesson: embedded?.lesson,
  onPart: (name, place) => goToPart(name, place, "push"),
  onReveal: (then) => {
    showGuidance();
    if (then !== null) player.go(then < 0 ? Infinity : then);
    else redraw();
  },
  onLeave: () => apply({ ...state, lesson: "", part: "1" }, "push"),
});
const choices = new ChoicesForm(find("#choices"), find("#settings"), (change) => apply({ ...state, ...change, at: "1" }, "push"));

async function goToPart(name, place, how) {
  const part = (await lesson.all()).find((one) => one.name === name)?.parts[place - 1];
  apply(part ? stateOfPart(name, place, part) : { ...state, lesson: "", part: "1" }, how);
  if (!part) settings.refuse({ message: `lesson = ${name}: is not known; Lessons has a list` });
}

async function showLesson() {
  try {
    await lesson.show(state.lesson, state.part);
  } catch (error) {
    find("#command").textContent = explained(error);
  }
  showGuidance();
}

// While a question is open, what comes next stays covered; what can be changed is on show where it is meant to be.
function showGuidance() {
  const wasAsking = document.body.classList.contains("is-asking");
  document.body.classList.toggle("is-asking", lesson.isAsking);
  document.body.classList.toggle("is-lesson", Boolean(lesson.part));
  document.body.classList.toggle("is-guided", Boolean(lesson.part) && !Object.keys(lesson.part.tries).length);
  choices.show(embedded ? (lesson.part?.tries ?? embedded.choices) : null, state);
  if (embedded) find("#embedded").textContent = sceneOf(state).words;
  if (wasAsking !== lesson.isAsking) redraw();
}

async function showLessons() {
  const items = (await lesson.all()).map(({ name, title, line }) => {
    const button = element("button", ...rich(title));
    button.type = "button";
    button.addEventListener("click", () => {
      find("#lessons-box").close();
      goToPart(name, 1, "push");
    });
    return element("li", button, element("p", line));
  });
  find("#lessons-box .lessons").replaceChildren(...items);
  find("#lessons-box").showModal();
}

// The definitions are the run's: problem, rule, mutation, what is counted. Of two runs those that differ come twice.
function showDefinitions() {
  const runs = panels.map((panel) => panel.run).filter((run) => run.start);
  const told = new Map();
  for (const { start } of runs) {
    for (const [title, words] of start.definitions) {
      const said = told.get(title) ?? new Map();
      said.set(words, [...(said.get(words) ?? []), start.name]);
      told.set(title, said);
    }
  }
  const list = [...told].flatMap(([title, said]) => {
    const each = [...said].map(([words, names]) => {
      const whose = said.size > 1 ? [element("strong", `${names.join(", ")}: `)] : [];
      return element("dd", ...whose, ...rich(words));
    });
    return [element("dt", title), ...each];
  });
  find("#definitions-box dl").replaceChildren(...list);
  find("#definitions-box").showModal();
}

function showTab() {
  const isMany = state.tab === "many" && !embedded;
  for (const [name, isOn] of [["run", !isMany], ["many", isMany]]) {
    find(`#view-${name}`).hidden = !isOn;
    find(`#tab-${name}`).setAttribute("aria-selected", String(isOn));
    find(`#tab-${name}`).tabIndex = isOn ? 0 : -1;
  }
  document.body.classList.toggle("is-many", isMany);
  if (isMany) {
    player.pause();
    many.draw();
  }
}

const setTab = (tab) => apply({ ...state, tab }, "push");

function toggleTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  redraw();
}

// A page that shows this one in a frame tells its theme.
addEventListener("message", ({ data }) => {
  if (data?.theme !== "light" && data?.theme !== "dark") return;
  document.documentElement.dataset.theme = data.theme;
  redraw();
});

function redraw() {
  for (const panel of panels) if (panel.shown) panel.showFrame(panel.shown);
}

let isLog = false;
let isLogChosen = false; // by the user; until then the runs decide
function setLog(value, isChosen = true) {
  isLog = value;
  isLogChosen ||= isChosen;
  for (const panel of panels) panel.setLog(isLog);
}

const keys = {
  " ": actions.play,
  ArrowRight: (event) => player.stepBy(event.shiftKey ? 10 : 1),
  ArrowLeft: (event) => player.stepBy(event.shiftKey ? -10 : -1),
  Home: actions.start,
  End: actions.end,
  a: actions.accepted,
  i: actions.improvement,
  I: () => player.previousImprovement(),
  "+": () => player.faster(1),
  "=": () => player.faster(1),
  "-": () => player.faster(-1),
  f: () => panels.forEach((panel) => panel.tree.toggleFolding()),
  0: () => panels.forEach((panel) => panel.tree.fit()),
  l: () => setLog(!isLog),
  d: toggleTheme,
  n: () => embedded || settings.nextSeed(),
  m: () => embedded || setTab(state.tab === "many" ? "run" : "many"),
  e: showDefinitions,
  "?": () => find("#help-box").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || find("dialog[open]")) return;
  const { target } = event;
  if (target.matches?.("input:not([type=checkbox]), select, textarea")) return;
  if (target.matches?.("button, summary, [role=tab]") && (event.key === " " || event.key === "Enter")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
});

find("#transport").addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) actions[button.dataset.do]();
});
find("#speed").addEventListener("input", (event) => {
  player.speed = Number(event.target.value);
  showTransport();
});
find("#at").addEventListener("change", (event) => {
  const t = Number(event.target.value.replaceAll(/[,\s]/g, ""));
  event.target.blur();
  if (Number.isFinite(t)) {
    player.pause();
    player.go(t);
  }
});
find("#theme").addEventListener("click", toggleTheme);
find("#help").addEventListener("click", () => find("#help-box").showModal());
find("#definitions").addEventListener("click", showDefinitions);
find("#lessons").addEventListener("click", showLessons);
find("#save-csv").addEventListener("click", () => {
  const text = csvOf(panels.map((panel) => panel.run).filter((run) => run.start));
  download("course.csv", new Blob([text], { type: "text/csv" }));
});
find("#save-png").addEventListener("click", async () => download(`run-at-${player.t}.png`, await pngOf(panels)));
find(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address after # is the setting
  find('[data-do="play"]').focus();
});
find("#link").addEventListener("click", async () => {
  const button = find("#link");
  try {
    await navigator.clipboard.writeText(location.href.replace(/#.*/, write(state)));
    button.textContent = "Copied";
  } catch {
    button.textContent = "It is in the address bar";
  }
  history.replaceState(null, "", written());
  setTimeout(() => (button.textContent = "Copy link"), 1500);
});
for (const tab of ["run", "many"]) find(`#tab-${tab}`).addEventListener("click", () => setTab(tab));
find(".tabs").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  event.stopPropagation();
  setTab(state.tab === "many" ? "run" : "many");
  find(`#tab-${state.tab}`).focus();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("popstate", () => {
  apply(embedded ? stateOfFile(location.hash) : read(location.hash), "none");
});

document.body.classList.toggle("is-embed", window !== window.top);
if (embedded) {
  document.body.classList.add("is-file");
  find("#embedded").hidden = false;
}
showTransport();
start();

// An address that names a lesson and no run is that of its first part.
function start() {
  if (!embedded && state.lesson && !/\bproblem=/.test(location.hash)) goToPart(state.lesson, 1, "replace");
  else apply(state, embedded ? "none" : "replace");
}
