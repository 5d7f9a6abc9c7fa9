// The form of the setting: shows the state, tells what changed, says what was refused beside its field.
import { DEFAULTS } from "./address.js";

// What has a meaning for programs of one kind; it is as usual again when another kind is chosen.
const OF_A_KIND = ["init", "weights", "poisson_mean", "accept", "operations", "operator", "substitute", "last_leaf", "max_leaves_allowed", "versus"];
const NAMED = ["unity", "bad", "tlopt", "insertion", "grow"];

export class Settings {
  constructor(form, onChange) {
    this.form = form;
    this.onChange = onChange;
    this.initName = form.querySelector("#init-name");
    this.initText = form.querySelector("#init-text");
    this.weights = [0, 1, 2].map((place) => form.querySelector(`#weight-${place}`));
    form.addEventListener("change", (event) => this.changed(event.target));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("#next-seed").addEventListener("click", () => this.nextSeed());
    this.refusal = form.querySelector("#refusal");
    this.refused = [];
    this.shown = new Map(); // what was written into each field
    this.onlySeveral = [form.querySelector("#parameters"), form.querySelector("#goal")];
    this.ofTrees = form.querySelectorAll(".of-trees");
    this.onlyOne = form.querySelector("#beside");
  }

  show(state) {
    this.accept();
    this.set(this.form.elements.algorithm, algorithmOf(state).algorithm);
    this.showKind(state.algorithm);
    for (const field of this.form.elements) {
      if (!field.name || this.isBeingWritten(field)) continue;
      this.set(field, { ...state, ...algorithmOf(state) }[field.name]);
    }
    const isNamed = NAMED.includes(state.init);
    this.initName.value = isNamed ? state.init : "";
    this.initText.hidden = isNamed || this.kind !== "tree";
    state.weights.split(",").forEach((weight, place) => {
      const field = this.weights[place];
      if (field && !this.isBeingWritten(field)) this.set(field, weight);
    });
  }

  // A problem of ours with parameters, or what an address alone can say, is no option yet.
  set(field, value) {
    if (field.options && ![...field.options].some((option) => option.value === value)) field.add(new Option(value, value));
    field.value = value;
    this.shown.set(field, field.value);
  }

  // An answer to an earlier change may come while the next one is typed: what stands there is the user's.
  isBeingWritten(field) {
    return field === document.activeElement && this.shown.has(field) && field.value !== this.shown.get(field);
  }

  accept() {
    this.refusal.hidden = true;
    for (const field of this.refused) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    this.refused = [];
  }

  // The form keeps what was refused, and says why beside it; at the end where the field is not on show.
  refuse({ field: name, message }) {
    this.accept();
    const fields = name === "weights" ? this.weights : [...this.form.elements].filter((field) => field.name === name);
    const box = fields[0]?.closest(".field, fieldset");
    const details = box?.closest("details");
    if (details) details.open = true;
    (box?.checkVisibility() ? box : this.form).append(this.refusal);
    this.refusal.textContent = message;
    this.refusal.hidden = false;
    for (const field of fields) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", "refusal");
    }
    this.refused = fields;
  }

  nextSeed() {
    const field = this.form.elements.seed; // it may be ahead of the run on show
    field.value = /^[0-9]+$/.test(field.value) ? String(BigInt(field.value) + 1n) : "0";
    this.onChange({ seed: field.value });
  }

  // What is for one kind of programs is on show with these; beside a run stands one of the same kind.
  showKind(id) {
    const option = this.form.elements.algorithm.selectedOptions[0];
    const group = option?.closest("optgroup");
    this.kind = group?.dataset.kind ?? "tree";
    const isSeveral = Boolean(group) && this.kind === "tree";
    const [parameters, goal] = this.onlySeveral;
    goal.hidden = !isSeveral;
    parameters.hidden = !option?.dataset.parameters;
    parameters.querySelector("input").placeholder = option?.dataset.parameters ?? "";
    this.onlyOne.hidden = isSeveral;
    for (const field of this.ofTrees) field.hidden = this.kind !== "tree";
    const given = id.slice(id.indexOf(":") + 1 || id.length);
    const like = [...(group ?? this.form.elements.algorithm).children].filter((one) => one.value !== undefined && one.tagName === "OPTION");
    const options = isSeveral ? [] : like.map((one) => new Option(one.text, given && group ? `${one.value}:${given}` : one.value));
    this.form.elements.versus.replaceChildren(new Option("nothing", ""), ...options);
    return isSeveral;
  }

  changed(field) {
    const { algorithm, parameters } = this.form.elements;
    if (field === algorithm) {
      const change = { algorithm: field.value, search: "", until: "" };
      const before = this.kind;
      this.set(parameters, "");
      if (this.showKind(field.value) || this.kind !== "tree") change.versus = "";
      const names = this.kind === before ? [] : OF_A_KIND;
      this.onChange({ ...change, ...Object.fromEntries(names.map((name) => [name, DEFAULTS[name]])) });
    } else if (field === parameters) {
      const named = (name) => [name, field.value.trim()].filter(Boolean).join(":");
      const { versus } = this.form.elements;
      const other = versus.value && this.kind !== "tree" ? { versus: named(versus.value.split(":")[0]) } : {}; // it has the same
      this.onChange({ algorithm: named(algorithm.value), ...other });
    } else if (field === this.initName) {
      this.initText.hidden = field.value !== "";
      if (field.value) this.onChange({ init: field.value });
      else {
        this.initText.querySelector("input").focus();
        this.initText.querySelector("input").select();
      }
    } else if (this.weights.includes(field)) {
      this.onChange({ weights: this.weights.map((one) => one.value.trim().replace(",", ".")).join(",") });
    } else if (field.name) {
      this.onChange({ [field.name]: field.value.trim() });
    }
  }
}

function algorithmOf({ algorithm }) {
  const [name, ...parameters] = algorithm.split(":");
  return { algorithm: name, parameters: parameters.join(":") };
}
