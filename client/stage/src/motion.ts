/**
 * A motion in memory and its packed form: how poses travel inside a page.
 *
 * Packed: every channel (root x y z, then w x y z a joint) is a row of whole numbers, value / step. Each row is taken
 * as second differences over frames (a component that never comes near zero is left out), folded to numbers from 0 (0, -1, 1, -2 ... to 0, 1, 2, 3 ...), and laid down as
 * planes of bytes, lowest first; then zlib, then base64. `segue.pictures.player.packing` writes it.
 */

import { poseSize } from "./kinematics";

/** Frames of packed poses at one rate. */
export interface Motion {
  readonly fps: number;
  readonly frames: number;
  readonly joints: number;
  /** frames x (3 + 4 joints): see `poseSize`. Quaternions of neighbouring frames lie in one hemisphere. */
  readonly poses: Float32Array;
}

/** What `segue.pictures.player.packing.packed` gives. */
export interface PackedMotion {
  readonly fps: number;
  readonly frames: number;
  readonly joints: number;
  /** Metres of one whole number of the root's position. */
  readonly root_step: number;
  /** One whole number of a quaternion's component. */
  readonly step: number;
  /** Of each joint: 1 + the component (w x y z) that is left out, negative where it is below zero; 0 for none. */
  readonly left_out: readonly number[];
  readonly planes: number;
  readonly data: string;
}

/** Bytes of base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Inflate what zlib deflated. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Unpack a motion. */
export async function unpacked(packed: PackedMotion): Promise<Motion> {
  const raw = await inflated(bytesOf(packed.data));
  return { fps: packed.fps, frames: packed.frames, joints: packed.joints, poses: fromPlanes(raw, packed) };
}

/** Poses from planes of bytes. */
export function fromPlanes(raw: Uint8Array, packed: Omit<PackedMotion, "data">): Float32Array {
  const { frames, planes, left_out } = packed;
  const channels = poseSize(packed.joints);
  const kept: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    const joint = (channel - 3) >> 2;
    const gone = channel >= 3 && Math.abs(left_out[joint]) - 1 === (channel - 3) % 4;
    if (!gone) kept.push(channel);
  }
  const count = frames * kept.length;
  if (raw.length !== count * planes) {
    throw new Error(`the packed motion holds ${raw.length} bytes, not ${count * planes}`);
  }
  const poses = new Float32Array(frames * channels);
  kept.forEach((channel, row) => {
    const step = channel < 3 ? packed.root_step : packed.step;
    let value = 0;
    let slope = 0;
    for (let frame = 0; frame < frames; frame++) {
      const at = row * frames + frame;
      let folded = 0;
      for (let plane = planes - 1; plane >= 0; plane--) folded = folded * 256 + raw[plane * count + at];
      const bend = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      // The first number is a value, the second a slope, the rest are changes of the slope.
      slope = frame < 2 ? bend : slope + bend;
      value += slope;
      if (frame === 0) slope = 0;
      poses[frame * channels + channel] = value * step;
    }
  });
  left_out.forEach((code, joint) => {
    if (code) fillIn(poses, channels, 3 + 4 * joint, code);
  });
  return poses;
}

/** The component that was left out, from the others of its unit quaternion. */
function fillIn(poses: Float32Array, channels: number, first: number, code: number): void {
  const gone = Math.abs(code) - 1;
  for (let at = first; at < poses.length; at += channels) {
    let rest = 1;
    for (let c = 0; c < 4; c++) if (c !== gone) rest -= poses[at + c] ** 2;
    poses[at + gone] = Math.sign(code) * Math.sqrt(Math.max(rest, 0));
  }
}

/** Seconds from the first frame to the last. */
export function secondsOf(motion: Motion): number {
  return (motion.frames - 1) / motion.fps;
}

/**
 * Write the pose at a time into `out` from `to` on: positions along a line, rotations along the great circle between the two frames
 * round it, held at both ends.
 */
export function samplePose(motion: Motion, seconds: number, out: Float32Array, to = 0): void {
  const size = poseSize(motion.joints);
  const last = motion.frames - 1;
  const place = Math.min(Math.max(seconds * motion.fps, 0), last);
  const near = Math.round(place);
  const exact = Math.abs(place - near) < 1e-6;
  const frame = exact ? near : Math.floor(place);
  const part = exact ? 0 : place - frame;
  const { poses } = motion;
  const a = frame * size;
  if (part === 0) {
    for (let k = 0; k < size; k++) out[to + k] = poses[a + k];
    return;
  }
  const b = a + size;
  for (let k = 0; k < 3; k++) out[to + k] = poses[a + k] + part * (poses[b + k] - poses[a + k]);
  for (let k = 3; k < size; k += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += poses[a + k + c] * poses[b + k + c];
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(Math.abs(dot), 1);
    let left = 1 - part;
    let right = part;
    if (dot < 0.99999) {
      const angle = Math.acos(dot);
      const sine = Math.sin(angle);
      left = Math.sin(left * angle) / sine;
      right = Math.sin(right * angle) / sine;
    }
    for (let c = 0; c < 4; c++) out[to + k + c] = left * poses[a + k + c] + sign * right * poses[b + k + c];
  }
}
