// The served page of a run with several trees: the address holds what is asked for, the form changes it.
const form = document.querySelector("#settings");
const DEFAULTS = { problem: form.elements.problem.value, algorithm: form.elements.algorithm.value, n: "6", seed: "0" };
const refusal = document.querySelector("#refusal");
const main = document.querySelector("main");
const given = { ...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.search)) };
const kept = {}; // what the form has no field for

const colon = given.algorithm.indexOf(":");
if (colon >= 0) [given.algorithm, given.parameters] = [given.algorithm.slice(0, colon), given.algorithm.slice(colon + 1)];
for (const [name, value] of Object.entries(given)) {
  const field = form.elements[name];
  if (!field) {
    kept[name] = value;
    continue;
  }
  // a problem of ours that the list leaves out, or the same with other parameters
  if (field.tagName === "SELECT" && ![...field.options].some((one) => one.value === value)) field.add(new Option(value, value));
  field.value = value;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const words = new URLSearchParams(kept);
  for (const field of form.elements) if (field.name && field.value.trim()) words.set(field.name, field.value.trim());
  location.search = words;
});
// another algorithm has other parameters
form.elements.algorithm.addEventListener("change", () => (form.elements.parameters.value = ""));

function refuse(error) {
  const field = form.elements[error.name];
  refusal.textContent = error.message;
  refusal.hidden = false;
  if (!field) return;
  field.closest("details")?.setAttribute("open", "");
  field.setAttribute("aria-invalid", "true");
  field.closest(".field").append(refusal);
}

async function load() {
  document.querySelector("#name").textContent = "The run is being made";
  document.querySelector("#end").textContent = "The model makes it, and a long one takes a while.";
  main.classList.add("is-waiting");
  try {
    const answer = await fetch(`/api/population?${new URLSearchParams({ ...kept, ...given })}`);
    const data = await answer.json();
    if (!answer.ok) {
      main.hidden = true;
      refuse(data.error);
      return;
    }
    document.title = data.title;
    main.classList.remove("is-waiting");
    const block = Object.assign(document.createElement("script"), { type: "application/json", id: "data", textContent: JSON.stringify(data) });
    document.body.append(block, Object.assign(document.createElement("script"), { src: "/population.js" }));
  } catch {
    main.hidden = true;
    refuse({ message: "The server does not answer: was it ended?" });
  }
}
load();
