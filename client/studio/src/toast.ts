/** Sentences that come and go at the foot of the stage: errors, and what was done. */

import { Sentence } from "./api";
import { capital, h, icon } from "./dom";

let place: HTMLElement | null = null;

function toasts(): HTMLElement {
  if (!place) {
    place = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
    document.body.append(place);
  }
  return place;
}

interface WayOn {
  readonly word: string;
  go(): void;
}

/** Show a sentence for a while; `way` is a way on, `more` another. */
export function tell(sentence: string, { bad = false, way, more }: { bad?: boolean; way?: WayOn; more?: WayOn } = {}): void {
  const box = toasts();
  for (const old of box.children) if (old.getAttribute("data-sentence") === sentence) old.remove();
  const toast = h(
    "div",
    { class: bad ? "toast bad" : "toast", "data-sentence": sentence },
    bad ? icon("warn") : null,
    h("span", {}, capital(sentence)),
    ...[way, more].map(
      (one) =>
        one &&
        h(
          "button",
          {
            class: "link",
            onclick: () => {
              toast.remove();
              one.go();
            },
          },
          one.word,
        ),
    ),
    h("button", { class: "bare", "aria-label": "close", onclick: () => toast.remove() }, icon("close", 14)),
  );
  box.append(toast);
  while (box.children.length > 3) box.firstElementChild?.remove();
  setTimeout(() => toast.remove(), bad || way ? 12_000 : 5_000);
}

/** Take away what went wrong elsewhere. */
export function clearProblems(): void {
  for (const old of toasts().querySelectorAll(".bad")) old.remove();
}

/** The sentence of any error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Sentence) return error.message;
  console.error(error);
  return "this page failed on something that was not foreseen; reload it, nothing is lost";
}

/** Show an error. */
export function fail(error: unknown): void {
  tell(sentenceOf(error), { bad: true });
}
