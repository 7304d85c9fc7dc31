/** Rows of an inspector: facts, choices, sliders. */

import { h, put } from "./dom";

/** Create a row of name and value. */
export function fact(name: string, value: string | Node, tone = ""): HTMLElement {
  return h("div", { class: "fact" }, h("span", { class: "faint" }, name), h("span", { class: tone }, value));
}

/** Create a selection of words. */
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

/** Create a slider with its value in words; `moved` is called while it moves, `set` on release. */
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

/** Create a section with a heading. */
export function section(title: string, ...children: (Node | null)[]): HTMLElement {
  return h("section", { class: "section" }, h("h3", {}, title), ...children);
}

/** Create a hint for a state in which nothing is selected. */
export function hint(sentence: string, ...more: Node[]): HTMLElement {
  return h("div", { class: "empty" }, h("p", {}, sentence), ...more);
}

export { put };
