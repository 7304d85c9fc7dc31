/** Decoding of the data of `segue.studio.packing`: a header in JSON, then float32 arrays. */

import type { Motion } from "../../stage/src/index";

export interface Packed<Head> {
  readonly head: Head;
  readonly arrays: Readonly<Record<string, Float32Array>>;
}

/** Decode header and arrays; throws if the bytes do not match the header. */
export function unpack<Head>(bytes: ArrayBuffer): Packed<Head> {
  const size = new DataView(bytes).getUint32(0, true);
  if (4 + size > bytes.byteLength || size % 4 !== 0) throw new Error("the packed header does not fit its bytes");
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, size))) as Head & {
    arrays: Record<string, number[]>;
  };
  const arrays: Record<string, Float32Array> = {};
  let at = 4 + size;
  for (const [name, shape] of Object.entries(head.arrays)) {
    const count = shape.reduce((product, side) => product * side, 1);
    if (at + 4 * count > bytes.byteLength) throw new Error(`the packed array ${name} is cut short`);
    arrays[name] = new Float32Array(bytes, at, count);
    at += 4 * count;
  }
  return { head, arrays };
}

/** Header of a packed motion. */
export interface MotionHead {
  readonly name: string;
  readonly body: string;
  readonly fps: number;
  readonly frames: number;
  readonly names: readonly string[];
  readonly roles: Readonly<Record<string, number>>;
  readonly contacts: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly seams: readonly (readonly [number, number])[];
  readonly origin: readonly (readonly [number, number, number])[];
  readonly sources: readonly string[];
}

/** A motion with its header. */
export interface LoadedMotion {
  readonly word: string;
  readonly head: MotionHead;
  readonly motion: Motion;
}

/** Decode a motion. */
export function motionOf(word: string, bytes: ArrayBuffer): LoadedMotion {
  const { head, arrays } = unpack<MotionHead>(bytes);
  const poses = arrays["poses"];
  if (!poses) throw new Error("a packed motion without poses");
  return { word, head, motion: { fps: head.fps, frames: head.frames, joints: head.names.length, poses } };
}

/** A pose received over the socket. */
export interface LivePose {
  readonly number: number;
  readonly steered: number;
  readonly seconds: number;
  readonly source: number;
  /** Root position and rotations, as packed for the stage. */
  readonly pose: Float32Array;
}

/** Decode a pose of the socket. */
export function livePose(bytes: ArrayBuffer): LivePose {
  const all = new Float32Array(bytes);
  return { number: all[0], steered: all[1], seconds: all[2], source: all[3], pose: all.subarray(4) };
}
