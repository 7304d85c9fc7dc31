/** From the picture to the floor and back, by the numbers of the stage's camera. */

import type { Stage } from "../../stage/src/index";

type Four = readonly [number, number, number, number];

/** Product of a matrix of 16 numbers, column after column, and a vector. */
export function times(m: ArrayLike<number>, [x, y, z, w]: Four): [number, number, number, number] {
  const row = (k: number): number => m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12] * w;
  return [row(0), row(1), row(2), row(3)];
}

/** Where on the floor (x, z) a point of the page lies; null where the floor is not seen. */
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

/** Where a point of the world lies on the canvas in CSS pixels; null behind the camera. */
export function spotOf(stage: Stage, x: number, y: number, z: number): [number, number] | null {
  const { camera } = stage.view;
  camera.updateMatrixWorld();
  const eye = times(camera.matrixWorldInverse.elements, [x, y, z, 1]);
  if (eye[2] >= -0.05) return null;
  const clip = times(camera.projectionMatrix.elements, eye);
  const { clientWidth, clientHeight } = stage.canvas;
  return [((clip[0] / clip[3] + 1) / 2) * clientWidth, ((1 - clip[1] / clip[3]) / 2) * clientHeight];
}

/** Points of a drawn line at least so far apart, its ends among them. */
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

/** A line after a few rounds of smoothing: a hand trembles. */
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
