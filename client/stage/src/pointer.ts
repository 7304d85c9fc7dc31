/** Mouse, pen and touch on the canvas: drag orbits; wheel or pinch zooms; right button, Shift or two fingers pan. */

import type { StageCamera } from "./camera";

const TURN = Math.PI; // radians across the picture's height

export class PointerControls {
  private readonly at = new Map<number, { x: number; y: number }>();
  private readonly controller = new AbortController();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly camera: StageCamera,
    private readonly moved: () => void,
  ) {
    const { signal } = this.controller;
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", this.down, { signal });
    canvas.addEventListener("pointermove", this.move, { signal });
    for (const kind of ["pointerup", "pointercancel", "pointerleave"] as const) {
      canvas.addEventListener(kind, this.up, { signal });
    }
    canvas.addEventListener("wheel", this.wheel, { signal, passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
    canvas.addEventListener("dblclick", this.reset, { signal });
  }

  dispose(): void {
    this.controller.abort();
  }

  private readonly down = (event: PointerEvent): void => {
    this.canvas.setPointerCapture(event.pointerId);
    this.at.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };

  private readonly up = (event: PointerEvent): void => {
    this.at.delete(event.pointerId);
  };

  private readonly move = (event: PointerEvent): void => {
    const last = this.at.get(event.pointerId);
    if (!last) return;
    const height = this.canvas.clientHeight || 1;
    const dx = (event.clientX - last.x) / height;
    const dy = (event.clientY - last.y) / height;
    if (this.at.size === 2) {
      const other = [...this.at].find(([id]) => id !== event.pointerId);
      if (other) {
        const before = Math.hypot(last.x - other[1].x, last.y - other[1].y);
        const after = Math.hypot(event.clientX - other[1].x, event.clientY - other[1].y);
        if (after > 1) this.camera.zoom(before / after);
        this.camera.pan(dx / 2, dy / 2);
      }
    } else if (event.buttons === 2 || event.shiftKey) {
      this.camera.pan(dx, dy);
    } else {
      this.camera.turn(-dx * TURN, dy * TURN);
    }
    last.x = event.clientX;
    last.y = event.clientY;
    this.moved();
  };

  private readonly wheel = (event: WheelEvent): void => {
    event.preventDefault();
    this.camera.zoom(Math.exp(Math.min(Math.max(event.deltaY, -120), 120) * 0.0016));
    this.moved();
  };

  private readonly reset = (): void => {
    this.camera.reset();
    this.moved();
  };
}
