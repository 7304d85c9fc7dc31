/** A film embedded in a page, as written by `segue.pictures.player.film`. */

import {
  WorldPose,
  decodeBody,
  poseSize,
  secondsOf,
  unpacked,
  type Body,
  type Motion,
  type PackedBody,
  type PackedMotion,
  type Plant,
  type SeamPlace,
  type TrailData,
} from "../../stage/src/index";

/** One seam: frames `start` to `stop` (half open) blend, `frame` is in the middle. */
export interface Seam {
  readonly start: number;
  readonly stop: number;
  readonly frame: number;
  readonly from: string;
  readonly to: string;
}

/** Frames `start` to `stop` (half open) that mostly play one source clip. */
export interface Piece {
  readonly start: number;
  readonly stop: number;
  readonly name: string;
  readonly colour: string;
}

/** A heel or toe planted on the floor from frame `start` to `stop` (half open), at x and z in metres. */
export interface Planted {
  readonly side: "left" | "right";
  readonly part: "heel" | "toe";
  readonly start: number;
  readonly stop: number;
  readonly x: number;
  readonly z: number;
}

export interface FilmMotion {
  readonly name: string;
  readonly note: string;
  /** Index into the film's bodies. */
  readonly body: number;
  readonly motion: PackedMotion;
  /** Height of the floor in metres. */
  readonly floor: number;
  /** Joints with trails. */
  readonly trails: readonly { readonly joint: number; readonly side: "left" | "right" }[];
  readonly seams: readonly Seam[];
  readonly pieces: readonly Piece[];
  readonly planted: readonly Planted[];
}

export interface Film {
  readonly version: 1;
  readonly title: string;
  readonly bodies: readonly PackedBody[];
  readonly motions: readonly FilmMotion[];
}

/** A decoded motion of a film, with its overlays on the stage. */
export interface Reel {
  readonly told: FilmMotion;
  readonly body: Body;
  readonly motion: Motion;
  readonly seconds: number;
  readonly trails: readonly TrailData[];
  readonly plants: readonly Plant[];
  readonly seamPlaces: readonly SeamPlace[];
  /** 3 a frame: target of a following camera, smoothed over half a second. */
  readonly path: Float32Array;
  /** Minimum camera distance in metres, so that arm swings do not zoom the view. */
  readonly reach: number;
}

/** Decode every motion of a film. */
export async function reelsOf(film: Film): Promise<Reel[]> {
  if (film.version !== 1) throw new Error(`this player reads films of version 1, not ${film.version}`);
  const bodies = await Promise.all(film.bodies.map(decodeBody));
  return Promise.all(
    film.motions.map(async (told) => reelOf(told, bodies[told.body], await unpacked(told.motion))),
  );
}

function reelOf(told: FilmMotion, body: Body, motion: Motion): Reel {
  const { fps, frames } = motion;
  const pose = new WorldPose(body.skeleton);
  const size = poseSize(motion.joints);
  const ways = told.trails.map(() => new Float32Array(3 * frames));
  const middle = new Float32Array(3 * frames);
  let tallest = 0;
  let widest = 0;
  for (let frame = 0; frame < frames; frame++) {
    pose.set(motion.poses, frame * size);
    const p = pose.positions;
    told.trails.forEach(({ joint }, k) => {
      for (let c = 0; c < 3; c++) ways[k][3 * frame + c] = p[3 * joint + c];
    });
    let low = Infinity;
    let high = -Infinity;
    let away = 0;
    for (let k = 0; k < p.length; k += 3) {
      low = Math.min(low, p[k + 1]);
      high = Math.max(high, p[k + 1]);
      away = Math.max(away, Math.hypot(p[k] - p[0], p[k + 2] - p[2]));
    }
    middle.set([p[0], (Math.min(low, told.floor) + high) / 2, p[2]], 3 * frame);
    tallest = Math.max(tallest, high - Math.min(low, told.floor));
    widest = Math.max(widest, away);
  }
  const step = 1 / fps;
  return {
    told,
    body,
    motion,
    seconds: secondsOf(motion),
    trails: told.trails.map(({ side }, k) => ({ points: ways[k], step, side })),
    plants: told.planted.map(({ x, z, side, part, start, stop }) => ({
      x,
      z,
      side,
      from: start * step,
      to: (stop - 1) * step,
      radius: part === "heel" ? 0.05 : 0.062,
    })),
    seamPlaces: told.seams.map(({ start, stop, frame }) => ({
      x: middle[3 * Math.min(frame, frames - 1)],
      z: middle[3 * Math.min(frame, frames - 1) + 2],
      from: Math.min(start, frame) * step,
      to: Math.max(stop - 1, frame) * step,
    })),
    path: smoothed(middle, Math.round(0.5 * fps)),
    reach: Math.max(1.15 * (tallest / 2 + 0.15), 0.8 * widest) / Math.tan((15 * Math.PI) / 180),
  };
}

/** Return the moving average over a centred window of that many frames, for 3 numbers a frame. */
export function smoothed(points: Float32Array, window: number): Float32Array {
  const frames = points.length / 3;
  const half = Math.max(Math.floor(window / 2), 0);
  const sums = new Float64Array(points.length + 3);
  for (let k = 0; k < points.length; k++) sums[k + 3] = sums[k] + points[k];
  const out = new Float32Array(points.length);
  for (let frame = 0; frame < frames; frame++) {
    // Near an end the window shrinks on both sides, so that it stays centred.
    const reach = Math.min(half, frame, frames - 1 - frame);
    for (let c = 0; c < 3; c++) {
      const total = sums[3 * (frame + reach + 1) + c] - sums[3 * (frame - reach) + c];
      out[3 * frame + c] = total / (2 * reach + 1);
    }
  }
  return out;
}

/** Return the index of the seam that contains a frame, or -1; a cut contains the frame at it. */
export function seamAt(seams: readonly Seam[], frame: number): number {
  return seams.findIndex(({ start, stop, frame: middle }) =>
    stop > start ? frame >= start && frame < stop : Math.round(frame) === middle,
  );
}
