/** A path drawn on the floor stroke by stroke; each stroke has a type and a speed, shown by its colour. */

import type { Kind } from "./steering";

export interface Stroke {
  readonly points: readonly (readonly [number, number])[];
  readonly kind: string;
  readonly speed: number;
  readonly colour: string;
}

const HUES = [210, 152, 338, 45, 275, 18]; // degrees, of the types in their order

export type PathPoint = [number, number, string, number];

/** Return the colour of a type at a speed: the hue is that of the type, the lightness increases with the speed. */
export function gaitColour(kinds: readonly Kind[], name: string, speed: number): string {
  const index = Math.max(kinds.findIndex((kind) => kind.name === name), 0);
  const { slow, fast } = kinds[index] ?? { slow: 0, fast: 1 };
  const part = Math.min(Math.max((speed - slow) / Math.max(fast - slow, 1e-6), 0), 1);
  return `hsl(${HUES[index % HUES.length]} ${60 + 25 * part}% ${38 + 30 * part}%)`;
}

/** Return the point of a line (x, z and more) nearest to a place. */
export function nearestPoint(points: readonly (readonly [number, number, ...unknown[]])[], place: readonly [number, number]): number {
  let best = 0;
  let least = Infinity;
  points.forEach(([x, z], k) => {
    const away = Math.hypot(x - place[0], z - place[1]);
    if (away < least) [best, least] = [k, away];
  });
  return best;
}

/** Return the path from a character's place: the rest of the earlier strokes, then the last stroke. */
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
