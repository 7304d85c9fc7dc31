/** Temporary messages at the bottom of the page: errors and completed actions. */

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

/** Show a message for a while; `way` and `more` are buttons for next actions. */
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

/** Remove all error messages. */
export function clearProblems(): void {
  for (const old of toasts().querySelectorAll(".bad")) old.remove();
}

/** Return the message of any error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Sentence) return error.message;
  console.error(error);
  return "unexpected error in this page; reload it, nothing is lost";
}

/** Show an error. */
export function fail(error: unknown): void {
  tell(sentenceOf(error), { bad: true });
}
