/** A path drawn on the floor stroke by stroke; each stroke carries a type and a speed, and shows both by its colour. */

import type { Kind } from "./steering";

export interface Stroke {
  readonly points: readonly (readonly [number, number])[];
  readonly kind: string;
  readonly speed: number;
  readonly colour: string;
}

const HUES = [210, 152, 338, 45, 275, 18]; // of types in their order

export type PathPoint = [number, number, string, number];

/** Colour of a type at a speed: each type has its hue, and goes from dark to bright with its speed. */
export function gaitColour(kinds: readonly Kind[], name: string, speed: number): string {
  const index = Math.max(kinds.findIndex((kind) => kind.name === name), 0);
  const { slow, fast } = kinds[index] ?? { slow: 0, fast: 1 };
  const part = Math.min(Math.max((speed - slow) / Math.max(fast - slow, 1e-6), 0), 1);
  return `hsl(${HUES[index % HUES.length]} ${60 + 25 * part}% ${38 + 30 * part}%)`;
}

/** Point of a line (x, z and more) that is nearest to a place. */
export function nearestPoint(points: readonly (readonly [number, number, ...unknown[]])[], place: readonly [number, number]): number {
  let best = 0;
  let least = Infinity;
  points.forEach(([x, z], k) => {
    const away = Math.hypot(x - place[0], z - place[1]);
    if (away < least) [best, least] = [k, away];
  });
  return best;
}

/** The path that is still ahead from a place on, with a stroke behind it; it begins where the character is. */
export function pathFrom(strokes: readonly Stroke[], place: readonly [number, number] | null): PathPoint[] {
  const all = strokes.flatMap(({ points, kind, speed }) => points.map(([x, z]): PathPoint => [x, z, kind, speed]));
  if (!place || !all.length) return all;
  const last = strokes.at(-1)?.points.length ?? 0;
  const before = all.slice(0, all.length - last);
  const ahead = before.length ? before.slice(nearestPoint(before, place)) : [];
  const rest = [...ahead, ...all.slice(all.length - last)];
  const [, , kind, speed] = rest[0];
  return [[place[0], place[1], kind, speed], ...rest];
}
