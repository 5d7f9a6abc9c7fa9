// The page: the address decides, everything else follows.
import { command, read, wordsOf, wordsOfRuns, write } from "./address.js";
import { Many } from "./many.js";
import { whole } from "./numbers.js";
import { Panel } from "./panel.js";
import { Player, SPEEDS, speedText } from "./player.js";
import { Settings } from "./settings.js";
import { FileSource, ServerSource, asked, explained } from "./source.js";

const find = (name) => document.querySelector(name);
const embedded = find("#data") ? JSON.parse(find("#data").textContent) : null;

// How a command names what is not ours, by id.
const texts = embedded ? embedded.texts : Object.fromEntries([...document.querySelectorAll("[data-text]")].map((one) => [one.value, one.dataset.text]));

let state = embedded ? { ...read(""), ...embedded.state, ...placeIn(location.hash) } : read(location.hash);
let panels = [];
let runKey = null;
let isReady = false;

// In a file the address says only where in the run the reader is.
function placeIn(hash) {
  const { at } = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  return at ? { at } : {};
}

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
  placeTimer = setTimeout(() => history.replaceState(null, "", embedded ? `#at=${state.at}` : write(state)), 250);
}

function makeRuns() {
  for (const panel of panels) panel.close();
  player.pause();
  isReady = false;
  const sources = embedded
    ? embedded.runs.map((run) => new FileSource(run))
    : wordsOfRuns(state).map((words) => new ServerSource(words));
  const wanted = Number(state.at) || 1;
  panels = sources.map(
    (source) =>
      new Panel(find("#panel"), source, {
        onSeek: (t) => {
          player.pause();
          player.go(t);
        },
        onLog: setLog,
        onChange: () => onData(wanted),
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
  for (const panel of panels) panel.drawCourse(most);
  showLegend(panels[0].run.start?.legend);
  const isKnown = panels.every((panel) => panel.run.start && (panel.run.end || panel.run.upto >= wanted));
  if (!isReady && isKnown) {
    isReady = true;
    player.go(wanted);
  }
  // Of two runs the longer one would leave the other no room.
  const lasts = panels.map((panel) => panel.run.last);
  if (player.isComplete && !isLogChosen) setLog(Math.max(...lasts) > 8 * Math.min(...lasts) && lasts.length > 1, false);
  showTransport();
}

// What a leaf's standing means is the problem's to say.
function showLegend(legend) {
  if (!legend) return;
  for (const words of document.querySelectorAll("[data-standing]")) {
    const said = legend[words.dataset.standing];
    words.textContent = said ?? "";
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
  const next = { ...state, ...mine, at: isNewRun ? "1" : state.at };
  try {
    await Promise.all(wordsOfRuns(next).map((words) => asked("/api/check", words)));
  } catch (error) {
    if (mine === changes) settings.refuse({ field: error.field, message: explained(error) });
    return;
  }
  if (mine === changes) apply({ ...next, at: isNewRun ? "1" : state.at }, "push");
});
const many = new Many(document, { getState: () => state, onChange: (change) => apply({ ...state, ...change }, "replace") });

function apply(next, how) {
  state = next;
  changes = {};
  clearTimeout(placeTimer);
  if (how === "push") history.pushState(null, "", write(state));
  if (how === "replace") history.replaceState(null, "", write(state));
  settings.show(state);
  find("#command").textContent = command(state, texts);
  showTab();
  many.show(state);
  const key = JSON.stringify([wordsOf(state), state.versus]);
  if (key !== runKey) {
    runKey = key;
    makeRuns();
  } else if (isReady && Number(state.at) !== player.t) {
    player.go(Number(state.at) || 1);
  }
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
  "?": () => find("#help-box").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || find("#help-box").open) return;
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
  history.replaceState(null, "", embedded ? `#at=${state.at}` : write(state));
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
  if (!embedded) apply(read(location.hash), "none");
});
window.addEventListener("hashchange", () => {
  if (embedded) player.go(Number(placeIn(location.hash).at) || 1);
});

if (embedded) {
  document.body.classList.add("is-file");
  find("#embedded").hidden = false;
  find("#embedded").textContent = embedded.words;
}
showTransport();
apply(state, embedded ? "none" : "replace");
