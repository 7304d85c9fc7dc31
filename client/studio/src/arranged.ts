/** Frames of an arranged sequence: those that the page has, updated with those that an edit changed. */

import { poseSize } from "../../stage/src/index";
import { unpack, type LoadedMotion } from "./packed";
import type { ArrangedView } from "./wire";

const PLACED = 7; // numbers of a pose that change when it is moved on the ground: root position and rotation

/** A made sequence and its motion. */
export interface MadeFrames {
  readonly view: ArrangedView;
  readonly loaded: LoadedMotion;
}

/** Read a response; throws if it changes frames that the page does not have. */
export function framesOf(bytes: ArrayBuffer, before: MadeFrames | null): MadeFrames {
  const { head: view, arrays } = unpack<ArrangedView>(bytes);
  const size = poseSize(view.names.length);
  const poses = new Float32Array(view.frames * size);
  if (view.base) {
    if (before?.view.number !== view.base) throw new Error("an edit of a sequence that is not here");
    const ahead = view.first_frame - before.view.first_frame;
    const low = Math.max(0, -ahead);
    const high = Math.min(view.frames, before.view.frames - ahead);
    poses.set(before.loaded.motion.poses.subarray((low + ahead) * size, (high + ahead) * size), low * size);
  }
  lay(poses, size, arrays["poses"] ?? new Float32Array(), view.poses, size);
  lay(poses, size, arrays["places"] ?? new Float32Array(), view.places, PLACED);
  const { word, name, body, fps, frames, names, roles, contacts, seams, origin, sources } = view;
  const head = { name, body, fps, frames, names, roles, contacts, seams, origin, sources };
  return { view, loaded: { word, head, motion: { fps, frames, joints: names.length, poses } } };
}

/** Write rows of `size` numbers into spans of frames. */
function lay(poses: Float32Array, size: number, rows: Float32Array, spans: readonly (readonly [number, number])[], width: number): void {
  let at = 0;
  for (const [start, stop] of spans) {
    for (let frame = start; frame < stop; frame++, at += width) poses.set(rows.subarray(at, at + width), frame * size);
  }
}
