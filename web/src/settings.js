// The form of the setting: shows the state, tells what changed.
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
  }

  show(state) {
    this.state = state;
    for (const field of this.form.elements) {
      if (!field.name) continue;
      if (field.type === "radio") field.checked = field.value === state[field.name];
      else field.value = state[field.name];
    }
    const isNamed = NAMED.includes(state.init);
    this.initName.value = isNamed ? state.init : "";
    this.initText.hidden = isNamed;
    state.weights.split(",").forEach((weight, place) => this.weights[place] && (this.weights[place].value = weight));
  }

  nextSeed() {
    const seed = /^[0-9]+$/.test(this.state.seed) ? BigInt(this.state.seed) + 1n : 0n;
    this.onChange({ seed: String(seed) });
  }

  changed(field) {
    if (field === this.initName) {
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
