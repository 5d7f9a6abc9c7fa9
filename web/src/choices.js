// What can be changed in a file: for each name the values whose runs are in it.
import { element } from "./rich.js";

const TITLES = { algorithm: "Algorithm", accept: "Accepted if", seed: "Seed", n: "n", init: "Initial tree", versus: "Beside it" };

export class ChoicesForm {
  constructor(form, settings, onChange) {
    this.form = form;
    this.settings = settings; // the form of a served page has the words for the values
    this.onChange = onChange;
    this.shown = null;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", ({ target }) => onChange({ [target.name]: target.value }));
  }

  show(choices, state) {
    const names = Object.keys(choices ?? {});
    this.form.hidden = names.length === 0;
    const key = JSON.stringify(choices);
    if (key !== this.shown) this.form.replaceChildren(...names.map((name) => this.field(name, choices[name])));
    this.shown = key;
    for (const name of names) this.form.elements[name].value = state[name];
  }

  field(name, values) {
    const select = document.createElement("select");
    select.name = name;
    select.setAttribute("aria-label", TITLES[name] ?? name); // else the options would be part of its name
    select.append(...values.map((value) => new Option(this.wordsFor(name, value), value)));
    const label = element("label", TITLES[name] ?? name, select);
    label.className = "field";
    return label;
  }

  wordsFor(name, value) {
    const options = [...this.settings.querySelectorAll(`[name=${name}] option, #init-name option`)];
    const isOurs = (option) => option.closest("select").name === name || name === "init";
    return options.find((option) => isOurs(option) && option.value === value)?.textContent ?? value;
  }
}
