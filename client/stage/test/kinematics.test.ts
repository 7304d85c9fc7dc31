import { expect, test } from "vitest";

import { WorldPose, poseSize, restPositions, type Skeleton } from "../src/kinematics";

const LEG: Skeleton = { names: ["hip", "knee", "ankle"], parents: [-1, 0, 1], offsets: [0, 0.9, 0, 0, -0.45, 0, 0, -0.4, 0] };

function pose(root: number[], ...turns: number[][]): Float32Array {
  return Float32Array.from([...root, ...turns.flat()]);
}

const NONE = [1, 0, 0, 0];
const QUARTER = [Math.SQRT1_2, Math.SQRT1_2, 0, 0]; // a quarter rotation about x: down becomes back

test("the rest pose sums offsets along the tree", () => {
  expect([...restPositions(LEG)].map((x) => Math.round(x * 1e6) / 1e6)).toEqual([0, 0.9, 0, 0, 0.45, 0, 0, 0.05, 0]);
});

test("a joint's rotation moves what hangs below it and nothing else", () => {
  const world = new WorldPose(LEG);
  world.set(pose([1, 1, 1], NONE, QUARTER, NONE));
  const [, , , kneeX, kneeY, kneeZ, ankleX, ankleY, ankleZ] = world.positions;
  expect([kneeX, kneeY, kneeZ]).toEqual([1, expect.closeTo(0.55, 6), 1]);
  expect(ankleX).toBeCloseTo(1, 6);
  expect(ankleY).toBeCloseTo(0.55, 6);
  expect(ankleZ).toBeCloseTo(0.6, 6);
});

test("bones keep their length under any rotations, unit or not", () => {
  const world = new WorldPose(LEG);
  for (let n = 0; n < 50; n++) {
    const turn = (k: number): number[] => [0, 1, 2, 3].map((c) => Math.sin(n * 12.9 + k * 7.3 + c * 3.1) + 0.01);
    world.set(pose([n, 0, 0], turn(0), turn(1), turn(2)));
    const p = world.positions;
    expect(Math.hypot(p[3] - p[0], p[4] - p[1], p[5] - p[2])).toBeCloseTo(0.45, 6);
    expect(Math.hypot(p[6] - p[3], p[7] - p[4], p[8] - p[5])).toBeCloseTo(0.4, 6);
  }
});

test("a pose takes three numbers for the root and four a joint", () => {
  expect(poseSize(31)).toBe(127);
});
