/** Rows of the inspector for steering: the input, the type of motion, and the keys. */

import { h } from "./dom";
import { gaitColour } from "./drawn_path";
import { section } from "./fields";
import type { Kind } from "./steering";

/** Steering input: keys and a gamepad, the pointer, or a path on the floor. */
export type SteeringWay = "keys" | "chase" | "path";

const WAYS: readonly (readonly [SteeringWay, string])[] = [
  ["keys", "Keys, gamepad"],
  ["chase", "Chase the pointer"],
  ["path", "Draw a path"],
];
const KEYS: readonly (readonly [string, string])[] = [
  ["W ↑", "go"],
  ["A D ← →", "turn"],
  ["Shift", "faster"],
  ["Q E", "type"],
];

export interface SteerState {
  readonly kinds: readonly Kind[];
  readonly chosen: string;
  readonly way: SteeringWay;
  /** Speed of the next stroke, while a path is drawn. */
  readonly pathRow: HTMLElement | null;
}

export interface SteerEvents {
  way(way: SteeringWay): void;
  kind(name: string): void;
}

export function commandRows({ kinds, chosen, way, pathRow }: SteerState, events: SteerEvents): HTMLElement {
  const tag = (on: boolean, title: string, go: () => void, ...words: (Node | string)[]): HTMLElement =>
    h("button", { class: "tag", "aria-pressed": String(on), title, onclick: go }, ...words);
  const types = kinds.map((kind) => {
    const colour = gaitColour(kinds, kind.name, (kind.slow + kind.fast) / 2);
    const words = way === "path" ? [h("i", { class: "dot", style: `background:${colour}` }), ` ${kind.name}`] : [kind.name];
    return tag(chosen === kind.name, `${kind.slow.toFixed(1)} to ${kind.fast.toFixed(1)} m/s`, () => events.kind(kind.name), ...words);
  });
  const keys = way === "keys" ? KEYS : KEYS.slice(3);
  return section(
    "Commands",
    h("div", { class: "tags" }, ...WAYS.map(([name, title]) => tag(way === name, "", () => events.way(name), title))),
    h("div", { class: "tags" }, ...types),
    pathRow,
    h("div", { class: "keys" }, ...keys.map(([key, what]) => h("span", {}, h("kbd", {}, key), ` ${what}`))),
    way === "chase" ? h("p", { class: "fineprint" }, "The character runs to the pointer; the distance sets the speed. Q and E keep a type.") : null,
  );
}
