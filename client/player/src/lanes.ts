/** Lanes under the stage: a ruler, source clips, seams and feet, with the playhead and the range that loops. */

import type { Clock } from "./clock";
import { rulerStep } from "./clock";
import { h } from "./dom";
import type { Reel } from "./film";

export class Lanes {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "head" });
  private readonly range = h("div", { class: "range", hidden: "" });
  private readonly ruler = h("div", { class: "ruler" });
  private readonly track: HTMLElement;
  private readonly over: HTMLElement;
  private width = 1;
  private dragging: "time" | "range" | null = null;
  private anchor = 0;

  constructor(
    reels: readonly Reel[],
    private readonly clock: Clock,
    private readonly moved: () => void,
  ) {
    this.track = h("div", {
      class: "track",
      role: "slider",
      tabindex: "0",
      "aria-label": "Time",
      "aria-valuemin": "0",
      "aria-valuemax": clock.length.toFixed(2),
    });
    this.over = h("div", { class: "over" }, this.ruler);
    this.element = h("div", { class: "lanes" });
    this.label("");
    reels.forEach((reel, k) => this.lanesOf(reel, reels.length > 1 ? "ABCD"[k] ?? String(k + 1) : ""));
    this.over.append(this.range, this.head, this.track);
    this.element.append(this.over);
    this.track.addEventListener("pointerdown", this.down);
    this.track.addEventListener("pointermove", this.drag);
    this.track.addEventListener("pointerup", this.up);
    this.track.addEventListener("pointercancel", this.up);
    new ResizeObserver(() => {
      this.width = Math.max(this.over.clientWidth, 1);
      this.drawRuler();
      this.update();
    }).observe(this.over);
  }

  /** Set playhead and range from the clock. */
  update(): void {
    const { clock } = this;
    const share = clock.length > 0 ? clock.seconds / clock.length : 0;
    this.head.style.transform = `translateX(${share * this.width}px)`;
    this.track.setAttribute("aria-valuenow", clock.seconds.toFixed(2));
    this.range.hidden = !clock.ranged;
    if (clock.ranged) this.place(this.range, clock.from, clock.to);
  }

  private lanesOf(reel: Reel, letter: string): void {
    const { told, motion } = reel;
    const step = 1 / motion.fps;
    const lane = (name: string, kind = ""): HTMLElement => {
      this.label(letter ? `${letter} ${name}` : name);
      const made = h("div", { class: `lane ${kind}` });
      this.over.append(made);
      return made;
    };
    if (told.pieces.length > 1 || told.seams.length) {
      const made = lane("Source");
      for (const piece of told.pieces) {
        const block = h("i", { class: "named", title: piece.name }, piece.name);
        block.style.background = piece.colour;
        made.append(this.place(block, piece.start * step, piece.stop * step));
      }
      for (const seam of told.seams) {
        if (seam.stop > seam.start) {
          made.append(this.place(h("i", { class: "seam" }), seam.start * step, seam.stop * step));
        }
        made.append(this.place(h("i", { class: "tick" }), seam.frame * step));
      }
    }
    if (!told.planted.length) return;
    for (const side of ["left", "right"] as const) {
      const made = lane(side === "left" ? "Left foot" : "Right foot", "half");
      for (const plant of told.planted) {
        if (plant.side !== side) continue;
        const block = h("i", { class: `${side} ${plant.part}` });
        made.append(this.place(block, plant.start * step, plant.stop * step));
      }
    }
  }

  private label(text: string): void {
    const row = this.element.childElementCount + 1;
    const kind = text.endsWith("foot") ? "half" : text ? "whole" : "top";
    const height = { half: "1.04rem", whole: "1.39rem", top: "1.35rem" }[kind];
    const made = h("div", { class: "label" }, text);
    made.style.height = height;
    made.style.gridRow = String(row);
    this.element.append(made);
  }

  private place(block: HTMLElement, from: number, to?: number): HTMLElement {
    const { length } = this.clock;
    const share = (seconds: number): number => (length > 0 ? Math.min((100 * seconds) / length, 100) : 0);
    block.style.left = `${share(from)}%`;
    if (to !== undefined) block.style.width = `${Math.max(share(to) - share(from), 0)}%`;
    return block;
  }

  private drawRuler(): void {
    const { length } = this.clock;
    const step = rulerStep(length, this.width / 70);
    this.ruler.replaceChildren();
    for (let at = 0; at <= length + 1e-9; at += step) {
      const words = step < 1 ? at.toFixed(1) : String(Math.round(at));
      this.ruler.append(this.place(h("i"), at));
      if (at < length - 0.35 * step || at === 0) this.ruler.append(this.place(h("span", {}, `${words} s`), at));
    }
  }

  private secondsAt(event: PointerEvent): number {
    const box = this.over.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(box.width, 1);
    return Math.min(Math.max(share, 0), 1) * this.clock.length;
  }

  private readonly down = (event: PointerEvent): void => {
    this.track.setPointerCapture(event.pointerId);
    this.dragging = event.shiftKey ? "range" : "time";
    this.anchor = this.secondsAt(event);
    this.drag(event);
  };

  private readonly drag = (event: PointerEvent): void => {
    if (!this.dragging) return;
    const at = this.secondsAt(event);
    if (this.dragging === "range") this.clock.setRange(Math.min(at, this.anchor), Math.max(at, this.anchor));
    else this.clock.seek(Math.round(at * this.clock.fps) / this.clock.fps);
    this.moved();
  };

  private readonly up = (): void => {
    if (this.dragging === "range" && this.clock.to - this.clock.from < 1.5 / this.clock.fps) {
      this.clock.wholeRange();
      this.moved();
    }
    this.dragging = null;
  };
}
