/** The keyboard, and the panel that lists the keys. */

import { h, icon } from "./dom";
import type { Player } from "./player";

const KEYS: readonly (readonly [string, string])[] = [
  ["Space", "play or pause"],
  ["← →", "one frame back or on; with Shift one second"],
  ["Home End", "first or last frame"],
  ["N B", "next or previous seam"],
  [", .", "slower, faster"],
  ["[ ]", "the range that plays begins or ends here; \\ plays all (or drag the lanes with Shift)"],
  ["L", "go round"],
  ["T P O", "trails, planted feet, onion skins"],
  ["F", "the camera follows or stays"],
  ["W A S D", "turn the camera; + and − zoom, 0 shows the whole body (or drag and wheel)"],
  ["X", "dark or light"],
  ["?", "this list"],
];

export class Help {
  readonly element: HTMLElement;

  constructor() {
    const list = h("dl");
    for (const [keys, words] of KEYS) {
      const names = h("dt");
      for (const key of keys.split(" ")) names.append(h("kbd", {}, key), " ");
      list.append(names, h("dd", {}, words));
    }
    const close = h("button", { type: "button", class: "quiet", "aria-label": "Close" }, icon("close"));
    close.addEventListener("click", () => this.toggle());
    this.element = h(
      "div",
      { class: "help", hidden: "", role: "dialog", "aria-label": "Keys" },
      h("div", {}, h("h2", {}, "Keys", close), list),
    );
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.toggle();
    });
  }

  toggle(): void {
    this.element.hidden = !this.element.hidden;
  }
}

const TURN = 0.12; // radians a key press

/** Handle a key; return false if it has no function. */
export function press(player: Player, key: string, shift: boolean): boolean {
  const { clock } = player;
  switch (key) {
    case " ":
      player.togglePlay();
      break;
    case "ArrowLeft":
      if (shift) player.seek(clock.seconds - 1);
      else player.step(-1);
      break;
    case "ArrowRight":
      if (shift) player.seek(clock.seconds + 1);
      else player.step(1);
      break;
    case "Home":
      player.seek(0);
      break;
    case "End":
      player.seek(clock.length);
      break;
    case "n":
      player.toSeam(1);
      break;
    case "b":
      player.toSeam(-1);
      break;
    case ",":
      player.shiftSpeed(-1);
      break;
    case ".":
      player.shiftSpeed(1);
      break;
    case "[":
      player.setRangeEnd("from");
      break;
    case "]":
      player.setRangeEnd("to");
      break;
    case "\\":
      player.wholeRange();
      break;
    case "l":
      player.toggle("loop");
      break;
    case "t":
      player.toggle("trails");
      break;
    case "p":
      player.toggle("feet");
      break;
    case "o":
      player.toggle("onion");
      break;
    case "f":
      player.toggle("follow");
      break;
    case "x":
      player.toggle("theme");
      break;
    case "a":
      player.turn(-TURN, 0);
      break;
    case "d":
      player.turn(TURN, 0);
      break;
    case "w":
      player.turn(0, TURN);
      break;
    case "s":
      player.turn(0, -TURN);
      break;
    case "+":
    case "=":
      player.zoom(0.9);
      break;
    case "-":
      player.zoom(1.1);
      break;
    case "0":
      player.resetCamera();
      break;
    case "?":
      player.toggleHelp();
      break;
    default:
      return false;
  }
  return true;
}

/** Listen to keys on an element; a focused button keeps Space and a list its arrows. */
export function listen(element: HTMLElement, player: Player): void {
  element.tabIndex = -1;
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target instanceof HTMLSelectElement) return;
    if (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (press(player, key, event.shiftKey)) event.preventDefault();
  });
}
