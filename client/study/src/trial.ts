/** One trial: its motions, its question, and the answer with its response time. */

import type { Motion } from "../../stage/src/index";
import { h, put } from "../../studio/src/dom";
import { loadStimulus, pause } from "./api";
import { keysOf, placeWord, shownChoice } from "./keys";
import { meter } from "./screens";
import { Hidden, type Theatre } from "./theatre";
import type { AnswerAsk, StudyView, TrialView, TurnView } from "./wire";

const BETWEEN = 700; // milliseconds of an empty stage between two motions of a trial

/** The screen of all trials: created once, so that stage and buttons keep their places. */
export class TrialScreen {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "progress-row" });
  private readonly question = h("p", { class: "question" });
  private readonly choices = h("div", { class: "choices", role: "group", "aria-label": "answers" });
  private readonly note = h("p", { class: "note", role: "status" });
  /** Motions of the current trial, in their order. */
  motions: readonly Motion[] = [];
  private asked: { answer: (choice: string) => void; keys: Map<string, string> } | null = null;
  private ended = -Infinity;

  constructor(
    readonly theatre: Theatre,
    private readonly kind: StudyView["kind"],
  ) {
    const foot = h("div", { class: "foot" }, this.question, this.choices, this.note);
    this.element = h("main", { class: "trial" }, this.head, theatre.element, foot);
    addEventListener("keydown", (event) => {
      const choice = event.repeat || event.ctrlKey || event.altKey || event.metaKey ? undefined : this.asked?.keys.get(event.key);
      if (!choice) return;
      event.preventDefault();
      this.asked?.answer(choice);
    });
  }

  /** Show a trial and return its answer; `fresh` if it is the first since the page was loaded. */
  async ask(turn: TurnView, trial: TrialView, fresh: boolean): Promise<AnswerAsk> {
    this.progress(turn, trial);
    const buttons = this.buttons(trial);
    put(this.note);
    const plays = trial.shown.length > 0 && (fresh || !trial.is_seen);
    let from = performance.now();
    const given = new Promise<AnswerAsk>((done) => {
      const keys = keysOf(trial.choices);
      this.open = (now: number): void => {
        from = now;
        for (const button of buttons.values()) button.disabled = false;
        this.asked = {
          keys,
          answer: (choice) => {
            this.asked = null;
            for (const [word, button] of buttons) {
              button.disabled = true;
              button.setAttribute("aria-pressed", String(word === choice));
            }
            done({ number: trial.number, given: choice, seconds: (performance.now() - from) / 1000 });
          },
        };
      };
    });
    if (plays) {
      const motions = await this.load(trial);
      this.motions = motions.flat();
      await this.untilGapIsOver(turn.gap_seconds);
      await this.shown(trial, motions);
    } else {
      this.theatre.close(trial.shown.length ? "About what you have just seen" : "A question in between");
      this.open(performance.now());
    }
    return given;
  }

  private open: (now: number) => void = () => undefined;

  private async load(trial: TrialView): Promise<Motion[][]> {
    this.theatre.close("Loading the motions");
    this.theatre.aim(trial.camera);
    return Promise.all(trial.shown.map((group) => Promise.all(group.map((place) => loadStimulus(trial.number, place)))));
  }

  /** Wait until the study's minimum gap between the motions of two trials is over. */
  private async untilGapIsOver(seconds: number): Promise<void> {
    const left = this.ended + 1000 * seconds - performance.now();
    if (left > 300) {
      const bar = h("i", {});
      bar.style.animationDuration = `${left}ms`;
      this.theatre.close("Next", h("div", { class: "meter counts" }, bar));
      await pause(left);
    }
  }

  /** Play all motions once; if the page was hidden meanwhile, start again from the first. */
  private async shown(trial: TrialView, motions: readonly Motion[][]): Promise<void> {
    const last = motions.length - 1;
    for (;;) {
      try {
        let end = 0;
        for (const [group, pair] of motions.entries()) {
          for (const [at, motion] of pair.entries()) {
            const word = placeWord(trial.shown, group, at);
            this.theatre.close(word);
            await pause(BETWEEN);
            const final = group === last && at === pair.length - 1;
            end = await this.theatre.play(motion, word, (now) => {
              if (final && trial.timed_from === "start") this.open(now);
            });
          }
        }
        this.ended = end;
        this.theatre.close("Your answer");
        if (trial.timed_from === "end") this.open(end);
        return;
      } catch (error) {
        if (!(error instanceof Hidden)) throw error;
        this.asked = null;
        this.theatre.close("This page was hidden while a motion played. It starts again when you are back.");
        while (document.visibilityState === "hidden") await pause(200);
        await pause(1000);
      }
    }
  }

  private progress(turn: TurnView, trial: TrialView): void {
    const words = { training: "Practice", check: "", main: "" }[trial.purpose];
    const count = turn.total ? `${turn.answered + 1} of ${turn.total}` : `Question ${turn.answered + 1}`;
    put(this.head, h("span", { class: "count" }, count), turn.total ? meter(turn.answered / turn.total) : null, words && h("span", { class: "badge" }, words));
  }

  private buttons(trial: TrialView): Map<string, HTMLButtonElement> {
    const made = new Map<string, HTMLButtonElement>();
    const keys = keysOf(trial.choices);
    this.question.textContent = trial.text;
    const kind = trial.purpose === "check" ? "check" : this.kind;
    for (const [key, choice] of keys) {
      if (made.has(choice)) continue;
      const word = shownChoice(choice, kind);
      const button = h("button", { disabled: true, "data-choice": choice }, word, word === key ? null : h("kbd", {}, key));
      button.addEventListener("click", () => this.asked?.answer(choice));
      made.set(choice, button);
    }
    this.choices.classList.toggle("scale", trial.choices.length > 2);
    put(this.choices, ...made.values());
    return made;
  }

  /** Show briefly whether a training trial was answered correctly. */
  async feedback(right: boolean): Promise<void> {
    this.note.className = right ? "note good" : "note bad";
    put(this.note, right ? "Right." : "Not this time: it was the other one.");
    await pause(1400);
  }
}
