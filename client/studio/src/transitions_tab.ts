/** The tab Transitions: the cost matrix of two clips with its points, and the transition at one of them. */

import { call, loadMatrix } from "./api";
import type { BlankWords } from "./blank";
import { problem } from "./clips_tab";
import { CrossingDetails } from "./crossing_details";
import { digits, h, icon, perFrame, put, sentence, settled, words } from "./dom";
import { choice, fact, hint, slider } from "./fields";
import { MatrixView } from "./matrix";
import type { Place, Tab } from "./tab";
import { fail } from "./toast";
import { seamLoop } from "./transport";
import type { CompareView, CrossView, PointView, ThresholdView } from "./wire";

const FEET = [
  ["natural", "Natural"],
  ["locked", "Locked"],
  ["captured", "As captured"],
  ["free", "Free"],
] as const;

export class TransitionsTab implements Tab {
  readonly title = "Transitions";
  private readonly matrix: MatrixView;
  private compared: CompareView | null = null;
  private found: { threshold: number; points: PointView[]; reach: number; sentence: string } | null = null;
  private made: CrossView | null = null;
  private compares = "";
  private active = false;
  private failed = false;
  private readonly summary = h("div", {});
  private readonly details: CrossingDetails;
  private readonly reachBox = h("div", { class: "reach" });
  private hovered: [number, number] | null = null;

  constructor(private readonly place: Place) {
    this.details = new CrossingDetails(place.store);
    this.matrix = new MatrixView({
      hover: (a, b) => {
        this.hovered = [a, b];
        this.hoverSoon();
      },
      choose: (a, b) => void this.cross(a, b),
      leave: () => {
        this.hovered = null;
        this.back();
      },
    });
    place.store.listen((changed) => {
      if (!this.active) return;
      if (["a", "b", "cost", "weights"].some((key) => changed.has(key as "a"))) void this.compare();
      else if (["length", "way", "feet"].some((key) => changed.has(key as "a"))) void this.again();
      if (changed.has("slot")) this.frame();
      if (changed.has("theme")) {
        setTimeout(() => {
          this.matrix.redraw();
          this.details.redraw();
        });
      }
    });
  }

  open(): void {
    this.active = true;
    this.frame();
    void this.compare();
  }

  close(): void {
    this.active = false;
    this.compares = "";
    this.place.inspector.classList.remove("dense");
  }

  blank(): BlankWords | null {
    return { words: "Choose two clips on the left; the transition from A to B plays here" };
  }

  linked(): void {
    if (this.failed) void this.compare();
  }

  private frame(): void {
    const { store, inspector } = this.place;
    const { work, project } = store;
    const slot = (name: "a" | "b"): HTMLElement =>
      h(
        "button",
        {
          class: "slot-button",
          "aria-pressed": String(work.slot === name),
          title: "Choose this one on the left",
          onclick: () => store.set({ slot: name }),
        },
        h("span", { class: "slot" }, name.toUpperCase()),
        h("span", {}, work[name] || "choose …"),
      );
    const swap = h(
      "button",
      { class: "round", "aria-label": "swap the two clips", title: "Swap", onclick: () => store.set({ a: work.b, b: work.a, frames: null }) },
      icon("swap", 15),
    );
    const costs = project?.costs ?? [];
    const cost = costs.find((one) => one.name === work.cost) ?? costs[0];
    this.matrix.element.hidden = !this.compared;
    put(
      inspector,
      h("div", { class: "slots" }, slot("a"), swap, slot("b")),
      this.matrix.element,
      this.summary,
      h(
        "div",
        { class: "fields" },
        choice("Cost", costs.map((one) => [one.name, one.title] as const), work.cost, (name) =>
          store.set({ cost: name, weights: costs.find((one) => one.name === name)?.choices[0] ?? "", frames: null }),
        ),
        choice("Method", (project?.methods ?? []).map((word) => [word, words(word)] as const), work.way, (way) => store.set({ way })),
      ),
      this.details.lengths,
      this.reachBox,
      h(
        "div",
        { class: "fields" },
        cost?.choices.length
          ? choice("Weights", cost.choices.map((word) => [word, words(word)] as const), work.weights, (weights) => store.set({ weights, frames: null }))
          : null,
        choice("Feet", FEET, work.feet, (feet) => store.set({ feet })),
      ),
      this.details.element,
    );
    inspector.classList.add("dense");
  }

  private async compare(): Promise<void> {
    const { work, project } = this.place.store;
    if (!work.a || !work.b) {
      this.compared = null;
      this.compares = "";
      put(this.reachBox);
      this.details.clear();
      put(this.summary, hint(project?.clips.length ? `Choose clip ${work.a ? "B" : "A"} on the left. One clip may be both: jumps within it.` : "A transition leads from one clip into another, or elsewhere into the same one."));
      if (work.a || work.b) void this.place.view.show([`clip:${work.a || work.b}`]).catch(fail);
      this.frame();
      return;
    }
    const setting = project?.costs.find((one) => one.name === work.cost)?.setting;
    const key = [work.a, work.b, work.cost, work.weights].join("\n");
    if (key === this.compares) return;
    this.compares = key;
    this.failed = false;
    this.compared = null;
    this.made = null;
    this.matrix.setChosen(null);
    this.frame();
    put(this.summary, h("p", { class: "faint" }, "Comparing …"));
    this.details.clear();
    put(this.reachBox);
    try {
      const settings: Record<string, string> = setting && work.weights ? { [setting]: work.weights } : {};
      const compared = await call("compare", { a: work.a, b: work.b, cost: work.cost, settings, threshold: work.threshold });
      const values = await loadMatrix(compared.id);
      if (this.compares !== key || !this.active) return;
      this.compared = compared;
      this.matrix.element.hidden = false;
      this.found = compared;
      this.matrix.show(compared, values);
      this.matrix.setPoints(compared.points);
      this.reach();
      const first = compared.points[0];
      const stored = work.frames;
      if (stored) await this.cross(stored[0], stored[1]);
      else if (first) await this.cross(first.a_frame, first.b_frame);
      else {
        this.none(compared);
        await this.place.view.show([`clip:${work.a}`]);
      }
    } catch (error) {
      if (this.compares !== key) return;
      this.compares = "";
      this.failed = true;
      put(this.summary, problem(error, () => void this.compare()));
    }
  }

  /** Show that no point passes: the cost of the best, and a button to select it. */
  private none(compared: CompareView): void {
    const best = compared.best_cost;
    if (best === null) {
      put(this.summary, hint(sentence(compared.sentence)));
      return;
    }
    const take = async (): Promise<void> => {
      await this.threshold(best * 1.001);
      this.reach();
      const point = this.found?.points[0];
      if (point) await this.cross(point.a_frame, point.b_frame);
    };
    put(
      this.summary,
      hint(
        `No transition passes: the best costs ${digits(best, 2)} ${compared.unit}, ${digits(best / (compared.threshold || best), 2)} times the threshold. Click anywhere to see what a transition there would look like.`,
        h("button", { onclick: () => void take() }, "Take the best one"),
      ),
    );
  }

  private reach(): void {
    const { compared, found } = this;
    if (!compared || !found) return;
    const costs = compared.minima.map((point) => point.cost);
    const top = costs[Math.min(costs.length - 1, 400)] ?? compared.high;
    const scale = (value: number): number => Math.sqrt(value / (top || 1));
    const ask = settled((value: number) => void this.threshold(value), 60);
    const counts = h("span", { class: "counts" });
    const say = (points: number, reach: number): void => {
      counts.textContent = `${points} ${points === 1 ? "point" : "points"} · ${Math.round(100 * reach)} % of both clips in reach`;
    };
    say(found.points.length, found.reach);
    const row = slider(
      "Threshold",
      { min: 0, max: 1, step: 0.002, value: Math.min(scale(found.threshold), 1) },
      (part) => `${digits(part * part * top)} ${compared.unit}`,
      (part) => ask(part * part * top),
    );
    const auto = h(
      "button",
      { class: "link", onclick: () => void this.threshold("auto") },
      "auto",
    );
    put(this.reachBox, row, h("div", { class: "reach-row" }, counts, auto));
    this.said = say;
  }

  private said: (points: number, reach: number) => void = () => undefined;

  private async threshold(value: number | "auto"): Promise<void> {
    if (!this.compared) return;
    const { id } = this.compared;
    this.place.store.set({ threshold: value });
    try {
      const found: ThresholdView = await call("threshold", { id, threshold: value });
      if (this.compared?.id !== id) return;
      this.found = found;
      this.matrix.setPoints(found.points);
      if (value === "auto") this.reach();
      else this.said(found.points.length, found.reach);
    } catch (error) {
      fail(error);
    }
  }

  private readonly hoverSoon = perFrame(() => void this.hover());

  private async hover(): Promise<void> {
    const { compared, hovered } = this;
    if (!compared || !hovered) return;
    const [a, b] = hovered;
    try {
      const poses = await call("poses", { id: compared.id, a_frame: a, b_frame: b });
      if (this.hovered?.[0] !== a || this.hovered[1] !== b) return;
      await this.place.view.poses(`clip:${compared.a}`, a, `pair:${compared.id}`, b, poses);
      if (!this.hovered) this.back();
    } catch {
      // the next move of the pointer sends the request again
    }
  }

  /** Return from two poses to the transition. */
  private back(): void {
    if (this.active && this.made && this.place.view.mode === "poses") this.play(false);
  }

  private async again(): Promise<void> {
    const frames = this.place.store.work.frames;
    if (frames) await this.cross(frames[0], frames[1]);
  }

  private async cross(a: number, b: number): Promise<void> {
    const { compared } = this;
    if (!compared) return;
    this.hovered = null;
    const { store } = this.place;
    const { work } = store;
    store.set({ frames: [a, b] });
    this.matrix.setChosen([a, b]);
    const ask = { id: compared.id, a_frame: a, b_frame: b };
    try {
      const [made, curves, poses] = await Promise.all([
        call("cross", { ...ask, length: work.length, way: work.way, feet: work.feet }),
        call("curves", ask),
        call("poses", ask),
      ]);
      if (this.compared?.id !== compared.id || !this.active) return;
      this.made = made;
      this.show(made, poses.cost, [a, b]);
      this.details.show(made, curves, poses.differences);
      this.play(true);
    } catch (error) {
      if (this.compared?.id === compared.id) put(this.summary, problem(error, () => void this.cross(a, b)));
    }
  }

  private play(play: boolean): void {
    const { made } = this;
    if (!made) return;
    const { seam, motion } = made;
    const loop = seamLoop([seam.start, seam.stop], motion.fps, motion.seconds);
    const at = Math.max(loop[0], 0);
    void this.place.view.show([motion.word], { at, play, loop }).catch(fail);
  }

  private show(made: CrossView, cost: number, [a, b]: [number, number]): void {
    const { compared } = this;
    if (!compared) return;
    const good = (fine: boolean): string => (fine ? "good" : "poor");
    put(
      this.summary,
      h(
        "div",
        { class: "facts" },
        fact("Cost", h("span", {}, `${digits(cost, 2)} ${compared.unit} `, h("small", {}, `of ${digits(this.found?.threshold ?? compared.threshold, 2)}`))),
        fact("At", `${(a / compared.a_fps).toFixed(2)} s → ${(b / compared.b_fps).toFixed(2)} s`),
        fact("Foot slip", `${(1000 * made.seam.slip).toFixed(1)} mm`, good(made.seam.slip < 0.01)),
        fact("Peak acceleration", `${made.seam.acceleration.toFixed(2)} × sources`, good(made.seam.acceleration < 1.5)),
        fact("Joint speed", `${made.seam.speed.toFixed(2)} × sources`, good(made.seam.speed < 1.3)),
      ),
    );
  }
}
