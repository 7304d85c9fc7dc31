/** Details of a rendered transition: costs over blend lengths, each joint's curve, joints apart. */

import { digits, h, put, sentence, words } from "./dom";
import { section, slider } from "./fields";
import { ink, plot } from "./plot";
import type { Store } from "./store";
import type { CrossView, CurvesView, PosesView } from "./wire";

export class CrossingDetails {
  /** The blend length on the curve of its cost. */
  readonly lengths = h("div", {});
  /** The details further down. */
  readonly element = h("div", {});
  private redraws: (() => void)[] = [];

  constructor(private readonly store: Store) {}

  show(made: CrossView, curves: CurvesView, differences: PosesView["differences"]): void {
    put(this.lengths, ...this.lengthRows(made, curves));
    put(this.element, this.joints(curves), this.apart(differences));
    this.redraw();
  }

  clear(): void {
    this.redraws = [];
    put(this.lengths);
    put(this.element);
  }

  /** Redraw the curves in the colours of the theme. */
  redraw(): void {
    requestAnimationFrame(() => this.redraws.forEach((redraw) => redraw()));
  }

  private lengthRows(made: CrossView, curves: CurvesView): HTMLElement[] {
    const { store } = this;
    const auto = store.work.length === "auto";
    const most = curves.lengths.at(-1) ?? 1;
    const canvas = h("canvas", { class: "curve", title: "Drag to choose the length" });
    let length = made.length;
    const draw = (): void => {
      const geodesic = clipped(curves.geodesic_lengths, curves.geodesic, most);
      plot(canvas, {
        shared: false,
        curves: [
          { values: geodesic, colour: ink("--right"), faint: true },
          { values: curves.foreseen, colour: ink("--accent") },
        ],
        marks: [
          { at: spot(curves.chosen, most), colour: ink("--faint"), dashed: true },
          { at: spot(length, most), colour: ink("--text") },
        ],
      });
    };
    const input = slider(
      "Blend length",
      { min: 1 / 30, max: most, step: 1 / 30, value: length },
      (value) => `${value.toFixed(2)} s`,
      (value) => {
        length = value;
        draw();
      },
      (value) => store.set({ length: value }),
    );
    const drag = (event: PointerEvent): void => {
      const box = canvas.getBoundingClientRect();
      const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      const range = input.querySelector("input") as HTMLInputElement;
      range.value = String(1 / 30 + part * (most - 1 / 30));
      range.dispatchEvent(new Event("input"));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && drag(event));
    canvas.addEventListener("pointerup", () => store.set({ length }));
    this.redraws = [draw];
    return [
      input,
      canvas,
      h(
        "div",
        { class: "legend" },
        h("span", { class: "key key-accent" }, "what shows"),
        h("span", { class: "key key-geodesic" }, "geodesic"),
        h("button", { class: "link", "aria-pressed": String(auto), onclick: () => store.set({ length: "auto" }) }, `auto ${curves.chosen.toFixed(2)} s`),
      ),
      h("p", { class: "fineprint" }, sentence(curves.why)),
    ];
  }

  private joints(curves: CurvesView): HTMLElement {
    const canvas = h("canvas", { class: "curve" });
    const most = curves.geodesic_lengths.at(-1) ?? 1;
    this.redraws.push(() =>
      plot(canvas, {
        curves: curves.joints.map((joint) => ({
          values: joint.values,
          colour: ink(joint.role.startsWith("left") ? "--left" : "--right"),
          width: /hip|shoulder/.test(joint.role) ? 1.9 : 1.1,
        })),
        marks: [{ at: spot(curves.geodesic_best, most), colour: ink("--faint"), dashed: true }],
      }),
    );
    return section(
      "Each joint's curve",
      canvas,
      h("p", { class: "fineprint" }, `To ${most.toFixed(1)} s; the weighted sum is lowest at ${curves.geodesic_best.toFixed(2)} s. Left orange, right blue.`),
    );
  }

  private apart(rows: PosesView["differences"]): HTMLElement {
    return section(
      "Joints apart",
      h(
        "table",
        { class: "table" },
        h("tr", {}, h("th", {}, "joint"), h("th", {}, "degrees"), h("th", {}, "weight"), h("th", {}, "share")),
        ...rows.map((row) =>
          h(
            "tr",
            {},
            h("td", { class: row.role.startsWith("left") ? "left-ink" : "right-ink" }, words(row.role)),
            h("td", {}, row.degrees.toFixed(1)),
            h("td", {}, digits(row.weight, 2)),
            h("td", {}, `${Math.round(100 * row.share)} %`),
          ),
        ),
      ),
    );
  }
}

/** Return the position of a length, from 0 to 1, on an axis from 1/30 s to `most` seconds. */
export function spot(length: number, most: number): number {
  const least = 1 / 30;
  return Math.min(Math.max((length - least) / Math.max(most - least, 1e-9), 0), 1);
}

/** Return the values of a curve up to a length; the last is repeated where the curve ends earlier. */
export function clipped(lengths: readonly number[], values: readonly number[], most: number): number[] {
  const count = Math.max(Math.round(most * 30), 1);
  return Array.from({ length: count }, (_, k) => values[Math.min(k, lengths.length - 1)] ?? 0);
}
