/**
 * A motion in memory, and the packed form embedded in a page.
 *
 * Packed: every channel (root x y z, then w x y z a joint) is a row of integers, value / step. A quaternion component
 * that never comes near zero is left out. Each row is stored as second differences over frames, mapped to non-negative
 * integers (0, -1, 1, -2 ... to 0, 1, 2, 3 ...), as byte planes, lowest first; then zlib, base64. Written by `segue.pictures.player.packing`.
 */

import { poseSize } from "./kinematics";

/** Frames of packed poses at one rate. */
export interface Motion {
  readonly fps: number;
  readonly frames: number;
  readonly joints: number;
  /** frames x (3 + 4 joints): see `poseSize`. Quaternions of neighbouring frames are in the same hemisphere. */
  readonly poses: Float32Array;
}

/** Result of `segue.pictures.player.packing.packed`. */
export interface PackedMotion {
  readonly fps: number;
  readonly frames: number;
  readonly joints: number;
  /** Quantization step of the root position, in metres. */
  readonly root_step: number;
  /** Quantization step of quaternion components. */
  readonly step: number;
  /** For each joint: 1 + index of the component (w x y z) that is left out, negated where the component is negative; 0 for none. */
  readonly left_out: readonly number[];
  readonly planes: number;
  readonly data: string;
}

/** Decode base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Inflate zlib data. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Unpack a motion. */
export async function unpacked(packed: PackedMotion): Promise<Motion> {
  const raw = await inflated(bytesOf(packed.data));
  return { fps: packed.fps, frames: packed.frames, joints: packed.joints, poses: fromPlanes(raw, packed) };
}

/** Decode poses from byte planes. */
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

/** Compute the component that was left out from the other three of its unit quaternion. */
function fillIn(poses: Float32Array, channels: number, first: number, code: number): void {
  const gone = Math.abs(code) - 1;
  for (let at = first; at < poses.length; at += channels) {
    let rest = 1;
    for (let c = 0; c < 4; c++) if (c !== gone) rest -= poses[at + c] ** 2;
    poses[at + gone] = Math.sign(code) * Math.sqrt(Math.max(rest, 0));
  }
}

/** Return the time from the first frame to the last, in seconds. */
export function secondsOf(motion: Motion): number {
  return (motion.frames - 1) / motion.fps;
}

/**
 * Write the pose at a time into `out` at offset `to`, interpolated between the neighbouring frames: positions linearly,
 * rotations by slerp. Times outside the motion give its first or last frame.
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
