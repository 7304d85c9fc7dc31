/** The tab Study: designs and their motions, pages for participants, their progress, and the results. */

import { call } from "./api";
import type { BlankWords } from "./blank";
import { problem } from "./clips_tab";
import { counted, h, put, settled } from "./dom";
import { choice, fact, hint, section } from "./fields";
import type { Place, Tab } from "./tab";
import { fail, tell } from "./toast";
import type { DesignCard, DesignView, ReportView, StimulusCard, StudiesView, StudyRunView } from "./wire";

const EVERY = 2000; // milliseconds between updates of the progress

/** Group the stimuli of a study by the motion that they are conditions of, in their order. */
export function byMotion(stimuli: readonly StimulusCard[]): [string, StimulusCard[]][] {
  const groups = new Map<string, StimulusCard[]>();
  for (const one of stimuli) groups.set(one.motion, [...(groups.get(one.motion) ?? []), one]);
  return [...groups];
}

/** Return the progress of a run in words. */
export function progressWords(run: StudyRunView): string {
  const who = [run.people || !run.robots ? counted(run.people, "participant") : "", run.robots ? counted(run.robots, "robot") : ""];
  return `${who.filter(Boolean).join(", ")}, ${run.done} to the end, ${counted(run.answers, "answer")}`;
}

/** Return the description of a stimulus' blend. */
function blendWords(one: StimulusCard, fps: number): string {
  return one.frames ? `${one.frames} frames, ${(one.frames / fps).toFixed(2)} s` : "hard cut";
}

export class StudyTab implements Tab {
  readonly title = "Study";
  private studies: StudiesView | null = null;
  private design: DesignView | null = null;
  private report: { file: string; view: ReportView } | null = null;
  private readonly chosen = { design: "", ownClips: true, host: "127.0.0.1", name: "", robots: 12 };
  private shown = "";
  private working = "";
  private error: unknown = null;
  private active = false;
  private timer = 0;
  private readonly runs = h("div", { class: "study-runs" });

  constructor(private readonly place: Place) {}

  open(): void {
    this.active = true;
    this.place.view.empty();
    this.draw();
    void this.look().then(() => this.active && this.draw());
  }

  close(): void {
    this.active = false;
    clearTimeout(this.timer);
  }

  blank(): BlankWords | null {
    const waits = this.working === "plan";
    return { words: waits ? "Transitions are being chosen as the design specifies" : "Motions of a design play here; choose one on the right, and show its motions", needsClips: !this.chosen.ownClips };
  }

  linked(): void {
    void this.look().then(() => this.active && this.draw());
  }

  /** Load the progress, now and repeatedly while this tab is open. */
  private async look(): Promise<void> {
    clearTimeout(this.timer);
    try {
      this.studies = await call("studies", {});
      this.chosen.design ||= this.studies.designs.find((one) => !one.problem)?.word ?? "";
      this.drawRuns();
    } catch {
      // the page already shows that the server does not answer
    }
    if (this.active) this.timer = setTimeout(() => void this.look(), EVERY) as unknown as number;
  }

  private get card(): DesignCard | undefined {
    return this.studies?.designs.find((one) => one.word === this.chosen.design);
  }

  private draw(): void {
    const { inspector, store } = this.place;
    const designs = this.studies?.designs ?? [];
    const card = this.card;
    const named = designs.map((one) => [one.word, one.problem ? `${one.name} (cannot be read)` : one.name] as const);
    put(
      inspector,
      h("h2", {}, "Study"),
      designs.length ? choice("Design", named, this.chosen.design, (word) => this.choose({ design: word })) : hint("Reading the designs …"),
      designs.length
        ? choice("Clips", [["own", "of the design"], ["open", store.project?.name ?? "that are open"]], this.chosen.ownClips ? "own" : "open", (word) =>
            this.choose({ ownClips: word === "own" }),
          )
        : null,
      card?.problem ? h("p", { class: "fineprint bad" }, card.problem) : null,
      card && !card.problem ? h("div", { class: "facts" }, fact("Asks", card.asks), card.source ? fact("Source", card.source) : null) : null,
      this.error ? problem(this.error, () => void this.plan()) : null,
      this.design ? this.motions(this.design) : card && !card.problem ? this.plans() : null,
      card && !card.problem ? this.invitation() : null,
      section("Answers", this.runs),
      this.report ? this.results(this.report) : null,
    );
    this.drawRuns();
    this.place.blank();
  }

  private choose(change: Partial<StudyTab["chosen"]>): void {
    Object.assign(this.chosen, change);
    this.design = null;
    this.error = null;
    this.shown = "";
    this.place.view.empty();
    this.draw();
  }

  private plans(): HTMLElement {
    const waits = this.working === "plan";
    return section(
      "Motions",
      h("button", { class: "wide", disabled: waits, onclick: () => void this.plan() }, waits ? "Choosing transitions …" : "Show the motions"),
      h("p", { class: "fineprint" }, "Transitions are chosen as the design specifies; each is made when you open it."),
    );
  }

  private async plan(): Promise<void> {
    const { design, ownClips } = this.chosen;
    this.working = "plan";
    this.error = null;
    this.draw();
    try {
      const found = await call("design", { design, own_clips: ownClips });
      if (design === this.chosen.design && ownClips === this.chosen.ownClips) this.design = found;
    } catch (error) {
      this.error = error;
    }
    this.working = "";
    if (!this.active) return;
    this.draw();
    const first = this.design?.stimuli[0];
    if (first) await this.show(first);
  }

  private motions(design: DesignView): HTMLElement {
    const groups = byMotion(design.stimuli);
    const row = (one: StimulusCard): HTMLElement =>
      h(
        "li",
        {},
        h(
          "button",
          { class: "bare span-row", "aria-pressed": String(this.shown === one.name), onclick: () => void this.show(one) },
          h("span", {}, one.condition),
          h("span", { class: "faint" }, blendWords(one, design.fps)),
        ),
      );
    const lists = groups.map(([motion, stimuli], k) =>
      h("details", { open: k === 0 || stimuli.some((one) => one.name === this.shown) }, h("summary", {}, motion), h("ul", { class: "spans" }, ...stimuli.map(row))),
    );
    const head = `${counted(groups.length, "motion")}, ${design.stimuli.length} stimuli of ${design.seconds} s`;
    return section(head, h("ul", { class: "notes" }, ...design.question.split(" / ").map((one) => h("li", {}, one))), ...lists);
  }

  private async show(one: StimulusCard): Promise<void> {
    const { design, ownClips } = this.chosen;
    this.shown = one.name;
    this.draw();
    try {
      const made = await call("stimulus", { design, own_clips: ownClips, stimulus: one.name });
      if (this.active && this.shown === one.name) await this.place.view.show([made.word]);
    } catch (error) {
      fail(error);
    }
  }

  private invitation(): HTMLElement {
    const name = h("input", { type: "text", value: this.chosen.name || this.card?.name || "", "aria-label": "name of the file of answers" });
    const host = h("input", { type: "text", value: this.chosen.host, "aria-label": "address of this machine" });
    name.addEventListener("input", () => (this.chosen.name = name.value));
    host.addEventListener("input", () => (this.chosen.host = host.value));
    const field = (word: string, input: HTMLElement): HTMLElement => h("label", { class: "field" }, h("span", { class: "faint" }, word), input);
    return section(
      "Ask people",
      field("Answers in", name),
      field("This machine is", host),
      h(
        "div",
        { class: "buttons" },
        h("button", { class: "primary", onclick: () => void this.start(0) }, "Open the page"),
        h("button", { onclick: () => void this.start(this.chosen.robots) }, `Try with ${this.chosen.robots} robots`),
      ),
      h("p", { class: "fineprint" }, "127.0.0.1 is for people at this machine; for others give its address in your network. A name that has answers goes on with them."),
    );
  }

  private async start(robots: number): Promise<void> {
    const { design, ownClips, host } = this.chosen;
    const name = this.chosen.name || this.card?.name || "study";
    try {
      const run = await call("study_run", { design, own_clips: ownClips, name: robots && !this.chosen.name ? `${name} robots` : name, host, robots });
      tell(robots ? `${robots} robots answer into ${run.file}` : `the page of ${run.file} is being made: its motions first`);
    } catch (error) {
      fail(error);
    }
    await this.look();
  }

  private drawRuns(): void {
    const runs = this.studies?.runs ?? [];
    if (!runs.length) {
      put(this.runs, hint("Nobody has been asked yet."));
      return;
    }
    put(this.runs, ...runs.map((run) => this.run(run)));
  }

  private run(run: StudyRunView): HTMLElement {
    const words = { starting: "making motions", open: "open", ended: "", failed: "failed" }[run.state];
    const copy = settled(() => void navigator.clipboard.writeText(run.address).then(() => tell("the address is copied")).catch(fail), 0);
    const running = run.state === "open" || run.state === "starting";
    return h(
      "div",
      { class: "study-run", "data-file": run.file },
      h("div", { class: "job-row" }, h("b", {}, run.file), h("span", { class: run.state === "failed" ? "bad" : "good" }, words)),
      run.address ? h("div", { class: "inline" }, h("input", { type: "text", readonly: true, value: run.address, "aria-label": "address to hand out" }), h("button", { onclick: copy }, "Copy")) : null,
      run.study ? h("span", { class: "faint" }, progressWords(run)) : null,
      run.error ? h("span", { class: "bad" }, run.error) : null,
      h(
        "div",
        { class: "buttons" },
        run.answers ? h("button", { disabled: this.working === run.file, onclick: () => void this.analyse(run.file) }, this.working === run.file ? "Analysing …" : "Analyse") : null,
        running ? h("button", { onclick: () => void this.stop(run.file) }, run.robots && !run.people ? "Stop" : "Close the page") : null,
      ),
    );
  }

  private async stop(file: string): Promise<void> {
    await call("study_stop", { file }).catch(fail);
    await this.look();
  }

  private async analyse(file: string): Promise<void> {
    this.working = file;
    this.drawRuns();
    try {
      this.report = { file, view: await call("study_report", { file }) };
    } catch (error) {
      fail(error);
    }
    this.working = "";
    if (!this.active) return;
    this.draw();
    this.place.inspector.querySelector(".study-report")?.scrollIntoView({ block: "nearest" });
  }

  private results({ file, view }: { file: string; view: ReportView }): HTMLElement {
    const [head = [], ...rows] = view.rows;
    const table = h(
      "table",
      { class: "table" },
      h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))))),
    );
    const made = section(`Analysis of ${file}`, h("p", {}, view.summary), h("div", { class: "table-box" }, table));
    made.classList.add("study-report");
    return made;
  }
}
