/** The screens around the trials: consent, instructions, break and thanks. Each is awaited. */

import { h } from "../../studio/src/dom";
import type { StudyView, TurnView } from "./wire";

const HOW: Readonly<Record<StudyView["kind"], string>> = {
  preference: "Two motions play, one after the other. Then say which of the two the question is about.",
  jnd: "Two pairs of motions play. In one pair both motions are the same, in the other they differ. Then say which pair differs.",
  likert: "Motions play, and after them you are asked what you saw. Answer each question with a number.",
  verdict: "One motion plays. Then say how it looked.",
};

/** Create a screen with one column of text. */
function screen(...children: (Node | string | null)[]): HTMLElement {
  return h("main", { class: "screen" }, h("div", { class: "sheet" }, ...children));
}

type Show = (screen: HTMLElement) => void;

function pressed(show: Show, page: HTMLElement, button: HTMLElement): Promise<void> {
  show(page);
  button.focus();
  return new Promise((done) => button.addEventListener("click", () => done(), { once: true }));
}

/** Ask for consent and the participant's details; resolve with the details after consent. */
export function consent(show: Show, study: StudyView): Promise<Record<string, string>> {
  const fields = study.asked.map(({ name, choices }, k) => {
    const id = `asked-${k}`;
    const field = choices.length
      ? h("select", { id, name }, h("option", { value: "" }, "I prefer not to say"), ...choices.map((one) => h("option", { value: one }, one)))
      : h("input", { id, name, type: "text", maxlength: study.longest, autocomplete: "off", placeholder: "may be left empty" });
    return { name, field, row: h("div", { class: "asked" }, h("label", { for: id }, capital(name)), field) };
  });
  const agreed = h("input", { type: "checkbox", id: "agreed" });
  const begin = h("button", { class: "primary", type: "submit", disabled: true }, "Take part");
  agreed.addEventListener("change", () => (begin.disabled = !agreed.checked));
  const form = h(
    "form",
    {},
    fields.length ? h("fieldset", {}, h("legend", {}, "About you"), ...fields.map(({ row }) => row)) : null,
    h("label", { class: "agree" }, agreed, h("span", {}, "I have read this and take part of my own will.")),
    h("div", { class: "actions" }, begin),
  );
  show(
    screen(
      h("h1", {}, "Watching motion"),
      ...(study.consent || "You will watch short motions of a figure and answer questions about them. You may stop at any time.")
        .split("\n")
        .filter((line) => line.trim())
        .map((line) => h("p", {}, line)),
      h("p", { class: "faint" }, "Your answers, your response times and your entries below are stored: no name, no address, no time of day."),
      form,
    ),
  );
  return new Promise((done) =>
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!agreed.checked) return;
      done(Object.fromEntries(fields.filter(({ field }) => field.value.trim()).map(({ name, field }) => [name, field.value])));
    }),
  );
}

/** Show the instructions before the first trial. */
export function instructions(show: Show, study: StudyView, turn: TurnView): Promise<void> {
  const begin = h("button", { class: "primary" }, "Begin", h("kbd", {}, "Enter"));
  const training = turn.trial?.purpose === "training";
  const page = screen(
    h("h1", {}, "How it goes"),
    h("p", {}, HOW[study.kind]),
    h("ul", { class: "points" },
      h("li", {}, "Each motion plays once. Watch it to the end, then answer as you feel; there is no need to think long."),
      h("li", {}, "Answer with the buttons, or with the keys that are shown on them."),
      training ? h("li", {}, "It begins with practice, which does not count.") : null,
      h("li", {}, "You may pause at any question, reload this page or close it: you go on where you were."),
    ),
    h("div", { class: "actions" }, begin),
  );
  return pressed(show, page, begin);
}

/** Welcome a returning participant; resolve with true to continue, false for a new participant. */
export function welcomeBack(show: Show, turn: TurnView): Promise<boolean> {
  const on = h("button", { class: "primary" }, "Go on", h("kbd", {}, "Enter"));
  const other = h("button", {}, "Somebody else begins");
  const count = `${turn.answered} ${turn.answered === 1 ? "answer is" : "answers are"} kept.`;
  show(
    screen(
      h("h1", {}, "Welcome back"),
      h("p", {}, `${count} The question that you were at comes again.`),
      h("div", { class: "actions" }, on, other),
    ),
  );
  on.focus();
  return new Promise((done) => {
    on.addEventListener("click", () => done(true), { once: true });
    other.addEventListener("click", () => done(false), { once: true });
  });
}

/** Show a break between trials. */
export function rest(show: Show, turn: TurnView): Promise<void> {
  const on = h("button", { class: "primary" }, "Go on", h("kbd", {}, "Enter"));
  const left = turn.total ? `${turn.answered} of ${turn.total} questions are answered.` : `${turn.answered} questions are answered.`;
  const page = screen(
    h("h1", {}, "Time for a break"),
    h("p", {}, `${left} Look away from the screen for a moment, stretch, have some water.`),
    turn.total ? meter(turn.answered / turn.total) : null,
    h("p", { class: "faint" }, "Go on when you are ready; nothing runs meanwhile."),
    h("div", { class: "actions" }, on),
  );
  return pressed(show, page, on);
}

/** Show the end; resolve when the next participant begins. */
export function thanks(show: Show, turn: TurnView): Promise<void> {
  const next = h("button", {}, "Next participant");
  const page = screen(
    h("div", { class: "tick", "aria-hidden": "true" }, "✓"),
    h("h1", {}, "Thank you"),
    h("p", {}, `All ${turn.answered} answers are kept. You can close this page now.`),
    h("p", { class: "faint" }, "They are stored without your name, under a code that means nothing outside this study."),
    h("div", { class: "actions" }, next),
  );
  return pressed(show, page, next);
}

/** Show an error that this page cannot correct. */
export function problem(show: Show, sentence: string): void {
  const again = h("button", { class: "primary", onclick: () => location.reload() }, "Try again");
  show(screen(h("h1", {}, "This does not work"), h("p", {}, capital(sentence)), h("div", { class: "actions" }, again)));
}

/** Create a progress bar, filled from 0 to 1. */
export function meter(full: number): HTMLElement {
  const bar = h("i", {});
  bar.style.width = `${100 * Math.min(Math.max(full, 0), 1)}%`;
  return h("div", { class: "meter", role: "progressbar", "aria-valuenow": Math.round(100 * full) }, bar);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
