import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";

import { poseSize } from "../src/kinematics";
import { fromPlanes, samplePose, unpacked, type Motion } from "../src/motion";

/** Pack as Python does, reimplemented from the description. */
function planesOf(rows: number[][], planes: number): Uint8Array {
  const folded = rows.flatMap((row) =>
    row.map((value, k) => {
      const bend = k === 0 ? value : k === 1 ? value - row[0] : value - 2 * row[k - 1] + row[k - 2];
      return bend >= 0 ? 2 * bend : -2 * bend - 1;
    }),
  );
  return Uint8Array.from(Array.from({ length: planes }, (_, p) => folded.map((n) => Math.floor(n / 256 ** p) % 256)).flat());
}

const ROWS = [
  [0, 5, -3, 300],
  [7, 7, 7, 7],
  [-1, -2, -4, -8],
  [1000, 900, 600, -200], // w, left out below by its sign
  [0, 436, 800, 980],
  [0, 0, 0, 0],
  [0, 0, 0, 0],
];
const TOLD = { fps: 30, frames: 4, joints: 1, root_step: 0.5, step: 0.001, planes: 2, left_out: [0] };

test("numbers come back from planes of bytes, below zero and beyond a byte too", () => {
  const poses = fromPlanes(planesOf(ROWS, 2), TOLD);
  expect([...poses.slice(0, 4)]).toEqual([0, 3.5, -0.5, 1]);
  expect(poses[3 * poseSize(1)]).toBe(150);
  expect(poses[3 * poseSize(1) + 3]).toBeCloseTo(-0.2, 6);
});

test("a component that was left out follows from the others and its sign", () => {
  const rows = ROWS.filter((_, k) => k !== 3);
  const poses = fromPlanes(planesOf(rows, 2), { ...TOLD, left_out: [-1] });
  expect(poses[poseSize(1) + 3]).toBeCloseTo(-Math.sqrt(1 - 0.436 ** 2), 5);
});

test("deflated base64 is what a page holds", async () => {
  const data = deflateSync(planesOf(ROWS, 2)).toString("base64");
  const motion = await unpacked({ ...TOLD, data });
  expect(motion.poses).toEqual(fromPlanes(planesOf(ROWS, 2), TOLD));
});

test("a motion of another size is refused", () => {
  expect(() => fromPlanes(new Uint8Array(3), TOLD)).toThrow("holds 3 bytes");
});

const half = Math.SQRT1_2;
const TURNING: Motion = { fps: 10, frames: 2, joints: 1, poses: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 2, 0, 0, half, half, 0, 0]) };

test("between frames the root goes straight and a joint turns at one speed", () => {
  const out = new Float32Array(7);
  samplePose(TURNING, 0.05, out);
  expect(out[0]).toBeCloseTo(1, 6);
  expect(out[3]).toBeCloseTo(Math.cos(Math.PI / 8), 6);
  expect(out[4]).toBeCloseTo(Math.sin(Math.PI / 8), 6);
});

test("before the first frame and after the last one the pose is held", () => {
  const out = new Float32Array(7);
  samplePose(TURNING, -3, out);
  expect(out[0]).toBe(0);
  samplePose(TURNING, 99, out);
  expect(out[0]).toBe(2);
});
