/** The drawn lanes of the timeline: ruler, upper and lower body with weight curves, moving feet. */

import { fitted, ink } from "./plot";
import { stretches, ticks, type Scale } from "./timeline_model";
import type { ArrangedView } from "./wire";

export type Colours = (motion: string) => string;

/** Draw the ruler of seconds. */
export function drawRuler(canvas: HTMLCanvasElement, scale: Scale): void {
  const { pen, width, height } = fitted(canvas);
  pen.font = "11px ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif";
  pen.fillStyle = ink("--faint");
  pen.textBaseline = "middle";
  for (const { at, text } of ticks(scale, width)) {
    const x = (at - scale.from) * scale.pixels;
    pen.fillRect(Math.round(x), height - 5, 1, 5);
    pen.textAlign = x < 14 ? "left" : "center";
    if (x < width - 14) pen.fillText(text, Math.max(x, 0), height / 2 - 1);
  }
}

/** Draw one half of the body: colours of the motions, blends with the weight of the following one. */
export function drawHalf(canvas: HTMLCanvasElement, scale: Scale, view: ArrangedView | null, half: "lower" | "upper", colours: Colours): void {
  const { pen, width, height } = fitted(canvas);
  if (!view) return;
  const place = (at: number): number => (at - scale.from) * scale.pixels;
  const [top, tall] = [2, height - 4];
  for (const { from, to, motion, next, weights } of stretches(view, half)) {
    const [left, right] = [place(from), place(to)];
    if (right < 0 || left > width) continue;
    pen.globalAlpha = 0.82;
    if (!next) {
      pen.fillStyle = colours(motion);
      pen.beginPath();
      pen.roundRect(left, top, Math.max(right - left, 1), tall, 2);
      pen.fill();
      continue;
    }
    const wide = Math.max(right - left, 1);
    pen.fillStyle = colours(motion);
    pen.fillRect(left, top, wide, tall);
    pen.fillStyle = mixed(pen, colours(next), weights, left, left + wide);
    pen.fillRect(left, top, wide, tall);
    pen.globalAlpha = 1;
    pen.fillStyle = ink("--blend-shade");
    pen.fillRect(left, top, wide, tall);
    curve(pen, weights, { left, right, top: top + 3, tall: tall - 6 });
  }
  pen.globalAlpha = 1;
  if (half === "lower") holds(pen, view, place, height);
}

/** Create a gradient of a colour with the weights as opacity. */
function mixed(pen: CanvasRenderingContext2D, colour: string, weights: readonly number[], left: number, right: number): CanvasGradient {
  pen.fillStyle = colour;
  const plain = String(pen.fillStyle); // normalized by the canvas to six hexadecimal digits
  const mix = pen.createLinearGradient(left, 0, right, 0);
  weights.forEach((weight, k) => {
    const share = Math.round(255 * Math.min(Math.max(weight, 0), 1));
    mix.addColorStop(k / Math.max(weights.length - 1, 1), `${plain}${share.toString(16).padStart(2, "0")}`);
  });
  return mix;
}

function curve(
  pen: CanvasRenderingContext2D,
  weights: readonly number[],
  { left, right, top, tall }: { left: number; right: number; top: number; tall: number },
): void {
  const trace = (): void => {
    pen.beginPath();
    weights.forEach((weight, k) => {
      const x = left + ((right - left) * k) / Math.max(weights.length - 1, 1);
      const y = top + (1 - weight) * tall;
      if (k) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    });
    pen.stroke();
  };
  pen.lineJoin = "round";
  pen.strokeStyle = "rgba(0, 0, 0, 0.45)";
  pen.lineWidth = 3.4;
  trace();
  pen.strokeStyle = "#ffffff";
  pen.lineWidth = 1.6;
  trace();
}

/** Draw footholds that are kept, as a line along the lower edge. */
function holds(pen: CanvasRenderingContext2D, view: ArrangedView, place: (at: number) => number, height: number): void {
  const begins = new Map(view.placed.map((one) => [one.number, one.begin]));
  pen.fillStyle = ink("--text");
  for (const join of view.joins) {
    const zero = begins.get(join.previous) ?? 0;
    for (const segment of join.segments) {
      if (segment.kind !== "foothold kept") continue;
      const [left, right] = [place(zero + segment.begin), place(zero + segment.end)];
      for (let x = left; x < right; x += 6) pen.fillRect(x, height - 3, Math.min(3, right - x), 2);
    }
  }
}

/** Draw the times when each foot moves: left above in orange, right below in blue. */
export function drawFeet(canvas: HTMLCanvasElement, scale: Scale, view: ArrangedView | null): void {
  const { pen, width, height } = fitted(canvas);
  if (!view) return;
  const tall = (height - 8) / 2;
  ["left", "right"].forEach((side, row) => {
    pen.fillStyle = ink(`--${side}`);
    for (const [from, to] of view.feet[side] ?? []) {
      const [left, right] = [from, to].map((at) => (at - scale.from) * scale.pixels);
      if (right < 0 || left > width) continue;
      pen.beginPath();
      pen.roundRect(left, 3 + row * (tall + 2), Math.max(right - left, 1.5), tall, 2.5);
      pen.fill();
    }
  });
}

/** Return a text colour that is readable on a colour. */
export function inkOn(colour: string): string {
  const light = /^#/.test(colour)
    ? [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => sum + share * linear(parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16) / 255), 0)
    : Number(/(\d+)%\)$/.exec(colour)?.[1] ?? 50) / 230;
  return light > 0.19 ? "#12151a" : "#ffffff";
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
