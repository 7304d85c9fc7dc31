/** Conversion from the picture to the floor and back, with the matrices of the stage's camera. */

import type { Stage } from "../../stage/src/index";

type Four = readonly [number, number, number, number];

/** Multiply a column-major 4 x 4 matrix with a vector. */
export function times(m: ArrayLike<number>, [x, y, z, w]: Four): [number, number, number, number] {
  const row = (k: number): number => m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12] * w;
  return [row(0), row(1), row(2), row(3)];
}

/** Return the floor position (x, z) under a point of the page; null where there is no floor. */
export function floorAt(stage: Stage, clientX: number, clientY: number, height = 0): [number, number] | null {
  const box = stage.canvas.getBoundingClientRect();
  const nx = (2 * (clientX - box.left)) / box.width - 1;
  const ny = 1 - (2 * (clientY - box.top)) / box.height;
  const { camera } = stage.view;
  camera.updateMatrixWorld();
  const at = (depth: number): [number, number, number] => {
    const eye = times(camera.projectionMatrixInverse.elements, [nx, ny, depth, 1]);
    const world = times(camera.matrixWorld.elements, [eye[0] / eye[3], eye[1] / eye[3], eye[2] / eye[3], 1]);
    return [world[0], world[1], world[2]];
  };
  const near = at(-1);
  const far = at(0.5);
  const fall = far[1] - near[1];
  if (fall >= -1e-9) return null;
  const part = (height - near[1]) / fall;
  const x = near[0] + part * (far[0] - near[0]);
  const z = near[2] + part * (far[2] - near[2]);
  return part > 0 && Math.hypot(x - near[0], z - near[2]) < 200 ? [x, z] : null;
}

/** Return the position of a world point on the canvas in CSS pixels; null behind the camera. */
export function spotOf(stage: Stage, x: number, y: number, z: number): [number, number] | null {
  const { camera } = stage.view;
  camera.updateMatrixWorld();
  const eye = times(camera.matrixWorldInverse.elements, [x, y, z, 1]);
  if (eye[2] >= -0.05) return null;
  const clip = times(camera.projectionMatrix.elements, eye);
  const { clientWidth, clientHeight } = stage.canvas;
  return [((clip[0] / clip[3] + 1) / 2) * clientWidth, ((1 - clip[1] / clip[3]) / 2) * clientHeight];
}

/** Thin a drawn line to points at least `apart` from each other, including both ends. */
export function thinned(points: readonly (readonly [number, number])[], apart: number): [number, number][] {
  const out: [number, number][] = [];
  for (const [x, z] of points) {
    const last = out.at(-1);
    if (!last || Math.hypot(x - last[0], z - last[1]) >= apart) out.push([x, z]);
  }
  const end = points.at(-1);
  const last = out.at(-1);
  if (end && last && Math.hypot(end[0] - last[0], end[1] - last[1]) > apart / 4) out.push([end[0], end[1]]);
  return out;
}

/** Smooth a line in a few rounds, to remove the tremor of the hand. */
export function smoothed(points: readonly [number, number][], rounds = 3): [number, number][] {
  let out = points.map(([x, z]) => [x, z] as [number, number]);
  for (let round = 0; round < rounds; round++) {
    out = out.map((point, k) => {
      const [before, after] = [out[k - 1], out[k + 1]];
      if (!before || !after) return point;
      return [(before[0] + 2 * point[0] + after[0]) / 4, (before[1] + 2 * point[1] + after[1]) / 4];
    });
  }
  return out;
}
