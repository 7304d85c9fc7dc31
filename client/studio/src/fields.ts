/** Rows of an inspector: facts, choices, sliders. */

import { h, put } from "./dom";

/** Name and value, both as text. */
export function fact(name: string, value: string | Node, tone = ""): HTMLElement {
  return h("div", { class: "fact" }, h("span", { class: "faint" }, name), h("span", { class: tone }, value));
}

/** A choice of words. */
export function choice(
  name: string,
  options: readonly (readonly [string, string])[],
  value: string,
  changed: (value: string) => void,
): HTMLElement {
  const select = h("select", { "aria-label": name });
  for (const [word, title] of options) select.append(h("option", { value: word, selected: word === value }, title));
  select.addEventListener("change", () => changed(select.value));
  return h("label", { class: "field" }, h("span", { class: "faint" }, name), select);
}

/** A slider with its value in words; `moved` is called while it moves, `set` when it is let go. */
export function slider(
  name: string,
  { min, max, step, value }: { min: number; max: number; step: number; value: number },
  text: (value: number) => string,
  moved: (value: number) => void,
  set: (value: number) => void = () => undefined,
): HTMLElement {
  const words = h("b", {}, text(value));
  const input = h("input", { type: "range", min, max, step, value, "aria-label": name });
  input.addEventListener("input", () => {
    words.textContent = text(Number(input.value));
    moved(Number(input.value));
  });
  input.addEventListener("change", () => set(Number(input.value)));
  return h("label", { class: "slider" }, h("span", { class: "faint" }, name, " ", words), input);
}

/** A heading with what belongs to it. */
export function section(title: string, ...children: (Node | null)[]): HTMLElement {
  return h("section", { class: "section" }, h("h3", {}, title), ...children);
}

/** A sentence where nothing is chosen yet. */
export function hint(sentence: string, ...more: Node[]): HTMLElement {
  return h("div", { class: "empty" }, h("p", {}, sentence), ...more);
}

export { put };
