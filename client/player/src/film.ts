/** A film as it lies in a page: what `segue.pictures.player.film` writes. */

import type { PackedBody, PackedMotion } from "../../stage/src/index";

/** One seam: frames `start` to `stop` (half open) blend, `frame` lies in the middle. */
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

/** A heel or toe that stays on the floor from frame `start` to `stop` (half open), at x and z in metres. */
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
  readonly body: PackedBody;
  readonly motion: PackedMotion;
  /** Height of the floor in metres. */
  readonly floor: number;
  /** Joints whose ways are drawn. */
  readonly trails: readonly { readonly joint: number; readonly side: "left" | "right" }[];
  readonly seams: readonly Seam[];
  readonly pieces: readonly Piece[];
  readonly planted: readonly Planted[];
}

export interface Film {
  readonly version: 1;
  readonly title: string;
  readonly motions: readonly FilmMotion[];
}
