/** Curves on canvases: one style for lanes and for curves of cost over length. */

export interface Curve {
  readonly values: ArrayLike<number>;
  readonly colour: string;
  readonly width?: number;
  readonly faint?: boolean;
}

export interface Band {
  readonly from: number;
  readonly to: number;
  readonly colour: string;
}

export interface PlotLook {
  readonly curves: readonly Curve[];
  /** Shaded ranges, in fractions of the width. */
  readonly bands?: readonly Band[];
  /** Vertical lines, in fractions of the width. */
  readonly marks?: readonly { readonly at: number; readonly colour: string; readonly dashed?: boolean }[];
  readonly dots?: readonly { readonly at: number; readonly value: number; readonly colour: string }[];
  /** Value at the top; by default the largest of the curves. */
  readonly top?: number;
  readonly shared?: boolean;
}

/** Return the value of a CSS custom property. */
export function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Size a canvas to its CSS size; return its context in CSS pixels, and its size. */
export function fitted(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; width: number; height: number } {
  const width = Math.max(canvas.clientWidth, 1);
  const height = Math.max(canvas.clientHeight, 1);
  const scale = Math.min(devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** Return the largest finite value. */
export function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < values.length; k++) if (Number.isFinite(values[k]) && values[k] > most) most = values[k];
  return most;
}

/** Return an upper limit of a plot that keeps usual values visible and cuts off outliers. */
export function usualTop(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).sort((one, other) => one - other);
  const peak = sorted.at(-1) ?? 0;
  const high = sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 0;
  return Math.max(Math.min(peak, 2.2 * high || peak), 1e-12);
}

/** Draw curves. */
export function plot(canvas: HTMLCanvasElement, look: PlotLook): void {
  const { pen, width, height } = fitted(canvas);
  const pad = 5;
  const common = look.top ?? Math.max(...look.curves.map((curve) => largest(curve.values)), 1e-12);
  for (const { from, to, colour } of look.bands ?? []) {
    pen.fillStyle = colour;
    pen.fillRect(from * width, 0, Math.max((to - from) * width, 2), height);
  }
  const upright = (value: number, top: number): number => height - pad - (Math.min(value, top) / top) * (height - 2 * pad);
  for (const { values, colour, width: thick = 1.6, faint } of look.curves) {
    const top = look.shared === false ? Math.max(largest(values), 1e-12) : common;
    pen.strokeStyle = colour;
    pen.globalAlpha = faint ? 0.45 : 1;
    pen.lineWidth = thick;
    pen.lineJoin = "round";
    pen.beginPath();
    for (let k = 0; k < values.length; k++) {
      const x = values.length > 1 ? (k / (values.length - 1)) * width : width / 2;
      const y = upright(values[k], top);
      if (k) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
  for (const { at, value, colour } of look.dots ?? []) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(Math.min(Math.max(at * width, 4), width - 4), upright(value, common), 3.5, 0, 7);
    pen.fill();
  }
  for (const { at, colour, dashed } of look.marks ?? []) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.setLineDash(dashed ? [3, 3] : []);
    pen.beginPath();
    pen.moveTo(at * width, 0);
    pen.lineTo(at * width, height);
    pen.stroke();
  }
  pen.setLineDash([]);
}

/** Colours of source clips, the same as in the pictures of segue. */
const FIRST = [
  "#6a51a3", "#e6a817", "#3a9d8f", "#d0578e", "#7f8c2f", "#8c5a3c", "#5b9bd5", "#b33a3a", "#9b7fd1", "#2e7d32",
  "#f28e8e", "#607d8b", "#c49a6c", "#1f9ecb", "#a83279", "#8fb339",
];

export function sourceColour(index: number): string {
  if (index < 0) return "#8d97a6";
  if (index < FIRST.length) return FIRST[index];
  const hue = Math.round(360 * ((0.13 + index * 0.6180339887498949) % 1));
  return `hsl(${hue} 50% ${[42, 58, 50][index % 3]}%)`;
}
