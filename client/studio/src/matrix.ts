/** The cost matrix: an image that can be zoomed and panned, with the transition points. */

import { h } from "./dom";
import { fitted, ink } from "./plot";
import type { CompareView, PointView } from "./wire";

/** Return grey levels of costs: black at `low`, white at `high`, linear between. */
export function greyLevels(values: Float32Array, low: number, high: number): Uint8ClampedArray {
  const out = new Uint8ClampedArray(values.length);
  const scale = 255 / Math.max(high - low, 1e-30);
  for (let k = 0; k < values.length; k++) out[k] = Math.round((values[k] - low) * scale);
  return out;
}

/** Return the index of the value nearest to `wanted` in ascending values. */
export function nearestIndex(rising: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = rising.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (rising[middle] <= wanted) low = middle;
    else high = middle;
  }
  return Math.abs(rising[low] - wanted) <= Math.abs(rising[high] - wanted) ? low : high;
}

/** The visible part of an image: its upper left corner in cells, and the zoom factor. */
export interface Window {
  left: number;
  top: number;
  zoom: number;
}

/** Return the cells a pixel along both axes: at zoom 1 the complete image fills the canvas. */
export function scaleOf(zoom: number, size: readonly [number, number], image: readonly [number, number]): [number, number] {
  return [image[0] / size[0] / zoom, image[1] / size[1] / zoom];
}

/** Zoom a window by a factor about a pixel, kept inside the image. */
export function zoomed(
  window: Window,
  factor: number,
  at: readonly [number, number],
  size: readonly [number, number],
  image: readonly [number, number],
): Window {
  const zoom = Math.min(Math.max(window.zoom * factor, 1), 40);
  const before = scaleOf(window.zoom, size, image);
  const after = scaleOf(zoom, size, image);
  const left = window.left + at[0] * (before[0] - after[0]);
  const top = window.top + at[1] * (before[1] - after[1]);
  return kept({ left, top, zoom }, image);
}

/** Move a window so that it stays inside its image. */
export function kept(window: Window, image: readonly [number, number]): Window {
  const inside = (from: number, whole: number): number => Math.min(Math.max(from, 0), whole - whole / window.zoom);
  return { ...window, left: inside(window.left, image[0]), top: inside(window.top, image[1]) };
}

export interface MatrixEvents {
  hover(aFrame: number, bFrame: number, cost: number): void;
  choose(aFrame: number, bFrame: number): void;
  leave(): void;
}

/** The cost matrix, with frames of a from left to right and frames of b from top to bottom. */
export class MatrixView {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", {
    class: "matrix",
    tabindex: "0",
    role: "application",
    "aria-label": "cost matrix: arrows move, enter crosses there, plus and minus zoom",
  });
  private readonly words = h("div", { class: "matrix-words" });
  private image: HTMLCanvasElement | null = null;
  private view: CompareView | null = null;
  private values: Float32Array | null = null;
  private window: Window = { left: 0, top: 0, zoom: 1 };
  private points: readonly PointView[] = [];
  private chosen: readonly [number, number] | null = null;
  private cursor: readonly [number, number] | null = null;
  private held: readonly [number, number] | null = null;
  private dragged: { x: number; y: number; moved: boolean } | null = null;

  constructor(private readonly events: MatrixEvents) {
    this.element = h("div", { class: "matrix-box" }, this.canvas, this.words);
    this.canvas.addEventListener("pointermove", this.moved);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.dragged = { x: event.offsetX, y: event.offsetY, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", this.released);
    this.canvas.addEventListener("pointerleave", () => {
      this.cursor = null;
      this.draw();
      events.leave();
    });
    this.canvas.addEventListener("wheel", this.wheeled, { passive: false });
    this.canvas.addEventListener("dblclick", () => this.reset());
    this.canvas.addEventListener("keydown", this.pressed);
    new ResizeObserver(() => this.reset()).observe(this.canvas);
  }

  show(view: CompareView, values: Float32Array): void {
    this.view = view;
    this.values = values;
    const image = document.createElement("canvas");
    image.width = view.rows;
    image.height = view.columns;
    const pen = image.getContext("2d") as CanvasRenderingContext2D;
    const pixels = pen.createImageData(view.rows, view.columns);
    const grey = greyLevels(values, view.low, view.high);
    for (let row = 0; row < view.rows; row++) {
      for (let column = 0; column < view.columns; column++) {
        const at = 4 * (column * view.rows + row);
        const level = grey[row * view.columns + column];
        pixels.data[at] = pixels.data[at + 1] = pixels.data[at + 2] = level;
        pixels.data[at + 3] = 255;
      }
    }
    pen.putImageData(pixels, 0, 0);
    this.image = image;
    this.reset();
  }

  setPoints(points: readonly PointView[]): void {
    this.points = points;
    this.draw();
  }

  setChosen(frames: readonly [number, number] | null): void {
    this.chosen = frames;
    this.draw();
  }

  redraw(): void {
    this.draw();
  }

  private get size(): [number, number] {
    return [Math.max(this.canvas.clientWidth, 1), Math.max(this.canvas.clientHeight, 1)];
  }

  private get cells(): [number, number] {
    return [this.view?.rows ?? 1, this.view?.columns ?? 1];
  }

  private get scale(): [number, number] {
    return scaleOf(this.window.zoom, this.size, this.cells);
  }

  private reset(): void {
    this.window = { left: 0, top: 0, zoom: 1 };
    this.draw();
  }

  private cellAt(x: number, y: number): [number, number] {
    const [across, down] = this.scale;
    const [rows, columns] = this.cells;
    const row = Math.min(Math.max(Math.floor(this.window.left + x * across), 0), rows - 1);
    const column = Math.min(Math.max(Math.floor(this.window.top + y * down), 0), columns - 1);
    return [row, column];
  }

  /** Return the frames under the pointer, snapped to a nearby transition point. */
  private framesAt(x: number, y: number): [number, number] | null {
    if (!this.view) return null;
    let best: [number, number] | null = null;
    let least = 9;
    for (const point of this.points) {
      const [px, py] = this.placeOf(point.a_frame, point.b_frame);
      const away = Math.hypot(px - x, py - y);
      if (away < least) [least, best] = [away, [point.a_frame, point.b_frame]];
    }
    if (best) return best;
    const [row, column] = this.cellAt(x, y);
    return [this.view.a_frames[row], this.view.b_frames[column]];
  }

  private placeOf(aFrame: number, bFrame: number): [number, number] {
    if (!this.view) return [0, 0];
    const [across, down] = this.scale;
    const row = nearestIndex(this.view.a_frames, aFrame) + 0.5;
    const column = nearestIndex(this.view.b_frames, bFrame) + 0.5;
    return [(row - this.window.left) / across, (column - this.window.top) / down];
  }

  private costOf([aFrame, bFrame]: readonly [number, number]): number {
    if (!this.view || !this.values) return Number.NaN;
    const row = nearestIndex(this.view.a_frames, aFrame);
    return this.values[row * this.view.columns + nearestIndex(this.view.b_frames, bFrame)];
  }

  private point(frames: readonly [number, number]): void {
    this.cursor = frames;
    this.events.hover(frames[0], frames[1], this.costOf(frames));
    this.draw();
  }

  private readonly moved = (event: PointerEvent): void => {
    if (this.dragged && event.buttons) {
      const [dx, dy] = [event.offsetX - this.dragged.x, event.offsetY - this.dragged.y];
      if (this.dragged.moved || Math.hypot(dx, dy) > 4) {
        const { left, top, zoom } = this.window;
        const [across, down] = this.scale;
        this.window = kept({ left: left - dx * across, top: top - dy * down, zoom }, this.cells);
        this.dragged = { x: event.offsetX, y: event.offsetY, moved: true };
        this.draw();
      }
      return;
    }
    // The clicked transition plays until the pointer moves away.
    if (this.held && Math.hypot(event.offsetX - this.held[0], event.offsetY - this.held[1]) < 14) return;
    this.held = null;
    const frames = this.framesAt(event.offsetX, event.offsetY);
    if (frames) this.point(frames);
  };

  private readonly released = (event: PointerEvent): void => {
    const moved = this.dragged?.moved;
    this.dragged = null;
    const frames = this.framesAt(event.offsetX, event.offsetY);
    if (moved || !frames) return;
    this.held = [event.offsetX, event.offsetY];
    this.cursor = null;
    this.events.choose(frames[0], frames[1]);
  };

  private readonly wheeled = (event: WheelEvent): void => {
    event.preventDefault();
    const factor = Math.exp(-event.deltaY * 0.0015);
    this.window = zoomed(this.window, factor, [event.offsetX, event.offsetY], this.size, this.cells);
    this.draw();
  };

  private readonly pressed = (event: KeyboardEvent): void => {
    const { view } = this;
    if (!view) return;
    const now = this.cursor ?? this.chosen ?? [view.a_frames[0], view.b_frames[0]];
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const move = moves[event.key];
    if (move) {
      const far = event.shiftKey ? 10 : 1;
      const [rows, columns] = this.cells;
      const row = nearestIndex(view.a_frames, now[0]) + far * move[0];
      const column = nearestIndex(view.b_frames, now[1]) + far * move[1];
      this.point([
        view.a_frames[Math.min(Math.max(row, 0), rows - 1)],
        view.b_frames[Math.min(Math.max(column, 0), columns - 1)],
      ]);
    } else if (event.key === "Enter") this.events.choose(now[0], now[1]);
    else if (event.key === "+" || event.key === "-") {
      const at = this.placeOf(now[0], now[1]);
      this.window = zoomed(this.window, event.key === "+" ? 1.4 : 0.7, at, this.size, this.cells);
      this.draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private draw(): void {
    const { pen, width, height } = fitted(this.canvas);
    const { view, image } = this;
    if (!view || !image) return;
    const { left, top } = this.window;
    const [across, down] = this.scale;
    pen.imageSmoothingEnabled = across > 0.2;
    pen.drawImage(image, -left / across, -top / down, view.rows / across, view.columns / down);
    const ring = (frames: readonly [number, number], radius: number, fill: string, edge: string): void => {
      const [x, y] = this.placeOf(frames[0], frames[1]);
      pen.beginPath();
      pen.arc(x, y, radius, 0, 7);
      pen.fillStyle = fill;
      pen.fill();
      pen.lineWidth = 2;
      pen.strokeStyle = edge;
      pen.stroke();
    };
    for (const point of this.points) ring([point.a_frame, point.b_frame], 3.4, "#10131a", "#ffffff");
    if (this.chosen) ring(this.chosen, 5.5, ink("--accent"), "#ffffff");
    if (this.cursor) {
      const [x, y] = this.placeOf(this.cursor[0], this.cursor[1]);
      pen.strokeStyle = "rgba(255,255,255,.75)";
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, height);
      pen.moveTo(0, y);
      pen.lineTo(width, y);
      pen.stroke();
    }
    const shown = this.cursor ?? this.chosen;
    this.words.textContent = shown
      ? `${(shown[0] / view.a_fps).toFixed(2)} s → ${(shown[1] / view.b_fps).toFixed(2)} s`
      : `${view.a} → across, ${view.b} ↓ down`;
  }
}
