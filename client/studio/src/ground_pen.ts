/** A line drawn on the floor with the pointer, shown over the stage. */

import { h } from "./dom";
import { floorAt, smoothed, spotOf, thinned } from "./pick";
import { fitted } from "./plot";
import type { StageView } from "./stage_view";

export interface Line {
  readonly points: readonly (readonly [number, number])[];
  readonly colour: string;
}

export class GroundPen {
  readonly canvas = h("canvas", { class: "pen", "aria-hidden": "true" });
  lines: Line[] = [];
  target: readonly [number, number] | null = null;
  private drawing: [number, number][] | null = null;
  private colour = "#fff";
  private waiting: ((points: [number, number][]) => void) | null = null;
  private alive = false;

  constructor(
    private readonly view: StageView,
    overlay: HTMLElement,
  ) {
    overlay.append(this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => {
      if (!this.waiting) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.drawing = [];
      this.add(event);
    });
    this.canvas.addEventListener("pointermove", (event) => this.drawing && this.add(event));
    this.canvas.addEventListener("pointerup", () => this.end());
  }

  /** Start drawing of a line; `done` receives it smoothed, with points a quarter of a metre apart. */
  ask(colour: string, done: (points: [number, number][]) => void): void {
    this.waiting = done;
    this.colour = colour;
    this.canvas.classList.add("asking");
    this.start();
  }

  /** Stop drawing and hide the lines. */
  stop(): void {
    this.waiting = this.drawing = null;
    this.canvas.classList.remove("asking");
    this.lines = [];
    this.target = null;
    this.alive = false;
    fitted(this.canvas);
  }

  /** Show lines, redrawn as the camera moves. */
  start(): void {
    if (this.alive) return;
    this.alive = true;
    const frame = (): void => {
      if (!this.alive) return;
      this.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  private add(event: PointerEvent): void {
    const place = floorAt(this.view.stage, event.clientX, event.clientY);
    if (place) this.drawing?.push(place);
  }

  private end(): void {
    const drawn = this.drawing;
    this.drawing = null;
    if (!drawn || !this.waiting) return;
    const points = thinned(smoothed(thinned(drawn, 0.05), 6), 0.25);
    if (points.length < 3) return;
    const done = this.waiting;
    this.waiting = null;
    this.canvas.classList.remove("asking");
    done(points);
  }

  private draw(): void {
    const { pen } = fitted(this.canvas);
    const lines = this.drawing ? [...this.lines, { points: this.drawing, colour: this.colour }] : this.lines;
    pen.lineWidth = 4;
    pen.lineJoin = pen.lineCap = "round";
    for (const { points, colour } of lines) {
      pen.strokeStyle = colour;
      pen.beginPath();
      let on = false;
      for (const [x, z] of points) {
        const spot = spotOf(this.view.stage, x, 0.01, z);
        if (spot && on) pen.lineTo(spot[0], spot[1]);
        else if (spot) pen.moveTo(spot[0], spot[1]);
        on = spot !== null;
      }
      pen.stroke();
    }
    const spot = this.target && spotOf(this.view.stage, this.target[0], 0, this.target[1]);
    if (spot) {
      pen.strokeStyle = this.colour;
      pen.lineWidth = 2.5;
      pen.beginPath();
      pen.ellipse(spot[0], spot[1], 14, 7, 0, 0, 7);
      pen.moveTo(spot[0] + 4, spot[1]);
      pen.ellipse(spot[0], spot[1], 4, 2, 0, 0, 7);
      pen.stroke();
    }
  }
}
