/** A path for a steered character, drawn stroke by stroke, and the speed of the next stroke. */

import { h } from "./dom";
import { gaitColour, pathFrom, type Stroke } from "./drawn_path";
import { slider } from "./fields";
import type { GroundPen } from "./ground_pen";
import type { Kind } from "./steering";
import type { Place } from "./tab";

export class SteerPath {
  private strokes: Stroke[] = [];
  private kinds: readonly Kind[] = [];
  private chosen = "";
  /** Speed of the next stroke, as a fraction of its type's range of speeds. */
  private pace = 0.5;

  constructor(
    private readonly place: Place,
    private readonly pen: GroundPen,
    private readonly drawn: () => void,
  ) {}

  clear(): void {
    this.strokes = [];
  }

  /** Type and speed of the next stroke. */
  private get gait(): { kind: Kind; speed: number } | null {
    const kind = this.kinds.find((one) => one.name === this.chosen) ?? this.kinds.find((one) => one.name !== "stand");
    return kind ? { kind, speed: kind.slow + this.pace * (kind.fast - kind.slow) } : null;
  }

  /** Start drawing a stroke; it continues the strokes before. */
  ask(kinds: readonly Kind[], chosen: string): void {
    this.kinds = kinds;
    this.chosen = chosen;
    const { gait } = this;
    if (!gait) return;
    const colour = gaitColour(kinds, gait.kind.name, gait.speed);
    this.place.store.set({ follow: false });
    this.pen.ask(colour, (points) => {
      this.strokes = [...this.strokes, { points, kind: gait.kind.name, speed: gait.speed, colour }];
      this.pen.lines = this.strokes;
      const root = this.place.view.root;
      this.place.link.send({ type: "follow", points: pathFrom(this.strokes, root && [root[0], root[2]]) });
      this.ask(kinds, this.chosen);
      this.drawn();
    });
  }

  /** Create the slider for the speed of the next stroke, in the colours of its type from slow to fast. */
  row(): HTMLElement | null {
    const { gait } = this;
    if (!gait) return null;
    const { kind } = gait;
    const at = (part: number): number => kind.slow + part * (kind.fast - kind.slow);
    const colours = [0, 0.5, 1].map((part) => gaitColour(this.kinds, kind.name, at(part)));
    const speed = slider(
      `Speed of the next stroke, ${kind.name}`,
      { min: 0, max: 1, step: 0.05, value: this.pace },
      (part) => `${at(part).toFixed(1)} m/s`,
      () => undefined,
      (part) => {
        this.pace = part;
        this.ask(this.kinds, this.chosen);
      },
    );
    const words = this.strokes.length
      ? `${this.strokes.length} ${this.strokes.length === 1 ? "stroke" : "strokes"}; the next goes on from the end.`
      : "Draw on the floor, stroke after stroke; each carries the type and the speed chosen here, in its colour.";
    return h(
      "div",
      {},
      speed,
      h("div", { class: "ramp", style: `background:linear-gradient(90deg, ${colours.join(", ")})` }),
      h("p", { class: "fineprint" }, words),
    );
  }
}
