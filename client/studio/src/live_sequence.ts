/** A live player of elementary motions on the Steer tab: its motions, and the outcomes of requests. */

import { call } from "./api";
import { h } from "./dom";
import { choice, section } from "./fields";
import { sourceColour } from "./plot";
import type { Place } from "./tab";
import type { AnswerView } from "./wire";

const LATER = [
  ["0", "as soon as possible"],
  ["1", "in 1 s"],
  ["2", "in 2 s"],
  ["5", "in 5 s"],
] as const;
const SHOWN = 6; // answers

/** Return the outcome of a request in a few words. */
export function inWords(answer: AnswerView): string {
  if (answer.outcome === "withdrawn") return "withdrawn";
  if (answer.outcome === "waiting") return `waits for ${answer.begins_at?.toFixed(1)} s`;
  if (answer.outcome === "rejected") {
    const other = answer.begins_at === null ? "" : `; ${answer.begins_at.toFixed(1)} s would do`;
    return `${answer.command === "withdraw" ? "not withdrawn" : "rejected"}: ${answer.reason}${other}`;
  }
  const delay = answer.latency === null ? "" : `, shows after ${Math.round(1000 * answer.latency)} ms`;
  return `${answer.method || "planned"}, core at ${answer.begins_at?.toFixed(1)} s${delay}`;
}

export class LiveSequence {
  private names: string[] = [];
  private answers: readonly AnswerView[] = [];
  private later = 0;
  idle = "";

  constructor(
    private readonly place: Place,
    private readonly changed: (again: boolean) => void,
  ) {}

  /** Whether the list of motions was loaded and is empty. */
  none = false;

  /** Load the list of motions; a player can begin after that. */
  async load(): Promise<boolean> {
    this.names = (await call("sequences", {})).elements.map((one) => one.name);
    if (!this.names.includes(this.idle)) this.idle = "";
    this.answers = [];
    this.none = !this.names.length;
    return !this.none;
  }

  told(answers: readonly AnswerView[]): void {
    this.answers = answers;
  }

  /** Request a motion. */
  play(name: string): void {
    const at = this.later ? this.place.view.time + this.later : null;
    this.place.link.send({ type: "play", motion: name, at });
  }

  /** Play the motion of a number key, from 1. */
  playNumber(number: number): boolean {
    const name = this.names[number - 1];
    if (name === undefined) return false;
    this.play(name);
    return true;
  }

  /** Disable withdrawal of motions that have begun. */
  passed(): void {
    for (const button of this.place.inspector.querySelectorAll<HTMLElement>("[data-begins]")) {
      if (Number(button.dataset["begins"]) <= this.place.view.time) button.remove();
    }
  }

  rows(): HTMLElement[] {
    const motions = this.names.map((name, k) =>
      h(
        "button",
        { class: "tag", title: k < 9 ? `Play it (Shift ${k + 1})` : "Play it", onclick: () => this.play(name) },
        h("i", { class: "dot", style: `background:${sourceColour(k)}` }),
        ` ${name}`,
      ),
    );
    const answers = [...this.answers.entries()].slice(-SHOWN).reverse();
    return [
      section(
        "Play",
        choice("Begin", LATER, String(this.later), (value) => (this.later = Number(value))),
        h("div", { class: "tags" }, ...motions),
        choice("Between them", [["", "what stands or rests"], ...this.names.map((name) => [name, name] as const)], this.idle, (name) => {
          this.idle = name;
          this.changed(true);
        }),
      ),
      section(
        "Asked for",
        answers.length
          ? h("ul", { class: "spans" }, ...answers.map(([, answer]) => this.answerRow(answer)))
          : h("p", { class: "fineprint" }, "Click a motion: it is joined to what plays, and nothing that was shown changes."),
      ),
    ];
  }

  private answerRow(answer: AnswerView): HTMLElement {
    const open = answer.command === "play" && (answer.outcome === "planned" || answer.outcome === "waiting") && (answer.begins_at ?? 0) > this.place.view.time;
    return h(
      "li",
      { class: "answer" },
      h("span", {}, h("b", { class: answer.outcome === "rejected" ? "poor" : "" }, answer.motion), ` ${inWords(answer)}`),
      open ? h("button", { class: "link", "data-begins": answer.begins_at, onclick: () => this.place.link.send({ type: "withdraw", motion: answer.motion }) }, "withdraw") : null,
    );
  }
}
