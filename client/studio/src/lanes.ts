/** The lanes along the bottom: measures, origin and contacts of the motion on the stage, on one time axis. */

import { call } from "./api";
import { contactBox, PARTS } from "./contacts";
import { digits, h, put, sentence, words } from "./dom";
import { ink, plot, sourceColour, usualTop } from "./plot";
import type { StageView } from "./stage_view";
import type { LaneTab, Store } from "./store";
import { sentenceOf } from "./toast";
import type { Lane, MeasuresView, Span } from "./wire";

const TONES: Record<Lane["tone"], string> = { left: "--left", right: "--right", trunk: "--violet", warm: "--warm" };
const TABS: readonly (readonly [LaneTab, string])[] = [
  ["measures", "Measures"],
  ["origin", "Origin"],
  ["contacts", "Contacts"],
];
const LIVE = 240; // values of a live lane

/** Callbacks of the lanes. */
export interface LaneEvents {
  /** A range of frames was selected with the pointer. */
  range(start: number, stop: number): void;
  /** Return the function that sets edited contacts, null where the contacts shown cannot be edited. */
  contacts(): ((spans: Span[]) => void) | null;
  /** Return the faulty frames of the motion shown. */
  faults(): readonly { readonly start: number; readonly stop: number }[];
}

/** A value of a live character; `least` is the minimum upper limit of its lane. */
export interface LiveValue {
  readonly title: string;
  readonly unit: string;
  readonly ink: string;
  readonly least: number;
  readonly value: number;
}

export class Lanes {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "lane-rows" });
  private readonly cursor = h("div", { class: "cursor", "aria-hidden": "true" });
  private measures: MeasuresView | null = null;
  private word = "";
  private problem = "";
  private redraws: (() => void)[] = [];
  private strips: (LiveValue & { past: number[] })[] = [];
  private selection = h("div", { class: "selection", "aria-hidden": "true" });

  constructor(
    private readonly view: StageView,
    private readonly store: Store,
    private readonly events: LaneEvents,
  ) {
    const tabs = h(
      "div",
      { class: "lane-tabs", role: "tablist", "aria-label": "lanes" },
      ...TABS.map(([name, title]) =>
        h("button", { role: "tab", "data-lane": name, onclick: () => store.set({ lane: name }) }, title),
      ),
    );
    const area = h("div", { class: "lane-area" }, this.body, h("div", { class: "lane-over" }, this.selection, this.cursor));
    this.element = h("section", { class: "lanes", "aria-label": "lanes" }, tabs, area);
    area.addEventListener("pointerdown", this.pressed);
    view.onTime(() => this.moveCursor());
    view.onShown(() => void this.load());
    store.listen((changed) => {
      if (changed.has("lane")) this.draw();
      if (changed.has("theme")) setTimeout(() => this.redraw());
    });
    new ResizeObserver(() => this.redraw()).observe(this.body);
    this.draw();
  }

  /** Load the measures; `again` after contacts or the motion changed. */
  async load(again = false): Promise<void> {
    if (this.element.hidden) return;
    const main = this.view.main;
    const word = main?.word ?? "";
    if (this.view.mode === "poses" && this.measures) return; // two poses are shown only briefly
    if (word === this.word && !again && !this.problem) {
      if (!word) this.draw(); // a live character was removed, or the stage is still empty
      return;
    }
    const same = word === this.word;
    this.word = word;
    this.problem = "";
    if (!same) {
      this.measures = null;
      this.selection.hidden = true;
      this.draw();
    }
    if (!word) return;
    try {
      const measures = await call("measures", { word });
      if (this.word === word) this.measures = measures;
    } catch (error) {
      if (this.word === word) this.problem = sentenceOf(error);
    }
    this.draw();
  }

  /** Append values of a live character; they scroll from right to left. */
  live(values: readonly LiveValue[]): void {
    if (this.view.mode !== "live") return;
    if (!this.strips.length || this.strips.length !== values.length) {
      this.strips = values.map((one) => ({ ...one, past: [] }));
      this.cursor.hidden = true;
      const rows = this.strips.map((strip) => {
        const canvas = h("canvas", { class: "lane-canvas" });
        const number = h("span", { class: "lane-value" });
        this.redraws.push(() => {
          const past = [...Array<number>(Math.max(LIVE - strip.past.length, 0)).fill(0), ...strip.past];
          plot(canvas, { top: Math.max(usualTop(past), strip.least), curves: [{ values: past, colour: ink(strip.ink) }] });
          number.textContent = `${digits(strip.past.at(-1) ?? 0, 2)} ${strip.unit}`;
        });
        return h("div", { class: "lane" }, h("span", { class: "lane-name" }, strip.title), h("div", { class: "lane-box" }, canvas), number);
      });
      put(this.body, ...rows);
    }
    values.forEach((one, k) => {
      const { past } = this.strips[k];
      past.push(one.value);
      if (past.length > LIVE) past.shift();
    });
    this.redraw();
  }

  /** Mark a range of frames. */
  select(start: number, stop: number): void {
    const main = this.view.main;
    this.selection.hidden = !main || stop <= start;
    if (!main) return;
    const frames = Math.max(main.head.frames - 1, 1);
    this.view.range = stop - 1 > start ? [start / main.head.fps, (stop - 1) / main.head.fps] : null;
    this.selection.style.left = `${(100 * start) / frames}%`;
    this.selection.style.width = `${(100 * (stop - start)) / frames}%`;
  }

  /** Draw the data loaded by now. */
  draw(): void {
    this.strips = [];
    for (const tab of this.element.querySelectorAll("[data-lane]")) {
      tab.setAttribute("aria-selected", String(tab.getAttribute("data-lane") === this.store.work.lane));
    }
    this.redraws = [];
    const { measures } = this;
    if (!measures) {
      const words = this.problem ? sentence(this.problem) : this.word ? "Measuring …" : idle(this.view.mode);
      put(this.body, h("p", { class: "empty-lane" }, words));
      this.cursor.hidden = true;
      return;
    }
    this.cursor.hidden = false;
    const { lane } = this.store.work;
    const missing = measures.missing ? h("p", { class: "empty-lane missing" }, sentence(measures.missing)) : null;
    if (lane === "measures") put(this.body, ...measures.lanes.map((one) => this.curveRow(one, measures)), missing);
    else if (lane === "origin") put(this.body, ...this.originRows(measures));
    else put(this.body, ...this.contactRows(measures));
    this.redraw();
    this.moveCursor();
  }

  private curveRow(lane: Lane, measures: MeasuresView): HTMLElement {
    const canvas = h("canvas", { class: "lane-canvas" });
    const frames = Math.max((this.view.main?.head.frames ?? 2) - 1, 1);
    this.redraws.push(() => {
      const [shade, fault] = [ink("--seam-shade"), ink("--fault-shade")];
      plot(canvas, {
        top: usualTop(lane.values),
        curves: [{ values: lane.values, colour: ink(TONES[lane.tone]) }],
        bands: [
          ...measures.seams.map((seam) => ({ from: seam.start / frames, to: seam.stop / frames, colour: shade })),
          ...this.events.faults().map(({ start, stop }) => ({ from: start / frames, to: stop / frames, colour: fault })),
        ],
        dots: [{ at: lane.peak_frame / frames, value: lane.peak, colour: ink(TONES[lane.tone]) }],
      });
    });
    const peak = h(
      "button",
      {
        class: "lane-value",
        title: `Peak ${digits(lane.peak)} ${lane.unit}; usually ${digits(lane.typical)}. Go there`,
        onclick: () => {
          this.view.toggle(false);
          this.view.seek(lane.peak_frame / this.view.fps);
        },
      },
      `${digits(lane.peak)} ${lane.unit}`,
    );
    return h("div", { class: "lane" }, h("span", { class: "lane-name" }, lane.title), h("div", { class: "lane-box" }, canvas), peak);
  }

  private originRows(measures: MeasuresView): HTMLElement[] {
    const names = [...new Set(measures.origin.map((span) => span.text))];
    return names.slice(0, 24).map((name, k) =>
      this.spanRow(name, measures.origin.filter((span) => span.text === name), sourceColour(k), ""),
    );
  }

  private contactRows(measures: MeasuresView): HTMLElement[] {
    const change = this.events.contacts();
    if (!measures.contacts.length && !change) return [h("p", { class: "empty-lane" }, "No foot is seen on the ground here.")];
    return PARTS.map((part) => {
      const spans = measures.contacts.filter((span) => span.text === part);
      const seconds = spans.reduce((sum, span) => sum + (span.stop - span.start), 0) / this.view.fps;
      const colour = `var(${part.startsWith("left") ? "--left" : "--right"})`;
      if (!change) return this.spanRow(words(part), spans, colour, `${digits(seconds)} s`);
      const box = contactBox(part, measures.contacts, this.view.main?.head.frames ?? 1, {
        seek: (frame) => {
          this.view.toggle(false);
          this.view.seek(frame / this.view.fps);
        },
        now: () => this.view.frameNumber,
        change,
      });
      box.style.setProperty("--part", colour);
      return this.row(words(part), box, `${digits(seconds)} s`);
    });
  }

  private spanRow(name: string, spans: readonly Span[], colour: string, value: string): HTMLElement {
    const frames = Math.max((this.view.main?.head.frames ?? 2) - 1, 1);
    const bars = spans.map((span) =>
      h("i", {
        class: "span",
        title: `${name}: ${(span.start / this.view.fps).toFixed(2)} to ${(span.stop / this.view.fps).toFixed(2)} s`,
        style: `left:${(100 * span.start) / frames}%;width:${Math.max((100 * (span.stop - span.start)) / frames, 0.15)}%;background:${colour}`,
      }),
    );
    return this.row(name, h("div", { class: "lane-box" }, ...bars), value);
  }

  private row(name: string, box: HTMLElement, value: string): HTMLElement {
    return h("div", { class: "lane" }, h("span", { class: "lane-name", title: name }, name), box, h("span", { class: "lane-value" }, value));
  }

  private redraw(): void {
    for (const redraw of this.redraws) redraw();
  }

  private moveCursor(): void {
    const seconds = this.view.seconds || 1;
    this.cursor.style.left = `${(100 * this.view.time) / seconds}%`;
  }

  private readonly pressed = (event: PointerEvent): void => {
    const main = this.view.main;
    const box = this.body.querySelector(".lane-box")?.getBoundingClientRect();
    if (!main || !box || (event.target as Element).closest("button") || event.clientX < box.left || event.clientX > box.right) return;
    const part = (x: number): number => Math.min(Math.max((x - box.left) / box.width, 0), 1);
    const from = part(event.clientX);
    const frames = main.head.frames - 1;
    this.selection.hidden = true;
    this.view.range = null;
    this.view.toggle(false);
    this.view.seek(from * this.view.seconds);
    const moved = (next: PointerEvent): void => {
      const to = part(next.clientX);
      if (next.shiftKey || Math.abs(to - from) * box.width > 6) {
        const [low, high] = [Math.min(from, to), Math.max(from, to)].map((one) => Math.round(one * frames));
        this.select(low, high + 1);
        this.events.range(low, high + 1);
      }
      this.view.seek(to * this.view.seconds);
    };
    const up = (): void => {
      removeEventListener("pointermove", moved);
      removeEventListener("pointerup", up);
    };
    addEventListener("pointermove", moved);
    addEventListener("pointerup", up);
  };
}

function idle(mode: StageView["mode"]): string {
  if (mode === "poses") return "Click a point of the matrix: the transition is made there and measured here.";
  if (mode === "live") return "The run is recorded. Keep it, and its measures appear here.";
  return "Measures of the motion on the stage appear here.";
}
