// The words beside the picture: a part of a lesson at a time, and its question, which is answered before it is shown.
import { asked } from "./source.js";
import { element, rich } from "./rich.js";

export class LessonView {
  // `lesson` is the file's own, if there is one. `onPart` is told where the reader goes, `onReveal` what to show.
  constructor(root, { lesson, onPart, onReveal, onLeave }) {
    this.root = root;
    this.known = lesson ? [lesson] : null;
    this.answers = new Map(); // by lesson and part: the answer that was given
    this.onReveal = onReveal;
    this.onPart = onPart;
    const find = (name) => root.querySelector(name);
    this.parts = { name: find(".lesson-name"), title: find("h2"), words: find(".lesson-words"), place: find(".lesson-place") };
    this.question = find(".question");
    this.because = find(".because");
    this.back = find(".lesson-back");
    this.next = find(".lesson-next");
    this.back.addEventListener("click", () => this.go(this.place - 1));
    this.next.addEventListener("click", () => this.go(this.place + 1));
    find(".lesson-leave").addEventListener("click", onLeave);
    find(".lesson-leave").hidden = Boolean(lesson);
    this.question.addEventListener("submit", (event) => {
      event.preventDefault();
      this.answer();
    });
  }

  async all() {
    this.known ??= (await asked("/api/lessons", {})).lessons;
    return this.known;
  }

  get lesson() {
    return this.known?.find((one) => one.name === this.name) ?? null;
  }

  get part() {
    return this.lesson?.parts[this.place - 1] ?? null;
  }

  get key() {
    return `${this.name} ${this.place}`;
  }

  // Whether a question is open: what happens next is not to be seen then.
  get isAsking() {
    return Boolean(this.part?.question) && !this.answers.has(this.key);
  }

  go(place) {
    this.onPart(this.name, place);
    this.parts.title.focus();
  }

  // Shows a part; only once the lessons are known.
  async show(name, place) {
    if (name) await this.all();
    this.name = name;
    this.place = Math.max(1, Math.min(Number(place) || 1, this.lesson?.parts.length ?? 1));
    const { part, lesson } = this;
    this.root.hidden = !part;
    if (!part) return;
    this.parts.name.replaceChildren(...rich(lesson.title));
    this.parts.title.replaceChildren(...rich(part.title));
    this.parts.words.replaceChildren(...part.words.map((words) => element("p", ...rich(words))));
    this.parts.place.textContent = `${this.place} of ${lesson.parts.length}`;
    this.back.disabled = this.place === 1;
    this.next.disabled = this.place === lesson.parts.length;
    this.showQuestion();
  }

  showQuestion() {
    const { question } = this.part;
    this.question.hidden = !question;
    this.because.replaceChildren();
    if (!question) return;
    this.question.querySelector("legend").replaceChildren(...rich(question.asks));
    const answers = question.choices.map((words, place) => {
      const input = document.createElement("input");
      Object.assign(input, { type: "radio", name: "answer", value: String(place), required: true });
      return element("label", input, element("span", ...rich(words)));
    });
    this.question.querySelector(".answers").replaceChildren(...answers);
    if (this.answers.has(this.key)) this.showAnswer();
    else this.question.querySelector("button").hidden = false;
  }

  answer() {
    const chosen = this.question.elements.answer.value;
    if (chosen === "") return;
    this.answers.set(this.key, Number(chosen));
    this.showAnswer();
    this.onReveal(this.part.question.then);
  }

  showAnswer() {
    const { question } = this.part;
    const given = this.answers.get(this.key);
    [...this.question.querySelectorAll("label")].forEach((label, place) => {
      label.className = place === question.answer ? "right" : place === given ? "wrong" : "";
      const input = label.querySelector("input");
      input.checked = place === given;
      input.disabled = true;
    });
    this.question.querySelector("button").hidden = true;
    const verdict = given === question.answer ? "You were right. " : "It is not as you thought. ";
    this.because.replaceChildren(element("p", element("strong", verdict), ...rich(question.because)));
  }
}
