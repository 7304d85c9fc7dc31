/**
 * Forward kinematics: local rotations to world positions and rotations, without allocation.
 *
 * A pose is packed as one Float32Array: root position x y z in metres, then a unit quaternion w x y z for every joint,
 * relative to its parent. Joints are in the order of the skeleton, parents before children.
 */

/** A body's joints: names, index of each parent (-1 for the root), offsets from the parent in metres (3 a joint). */
export interface Skeleton {
  readonly names: readonly string[];
  readonly parents: ArrayLike<number>;
  readonly offsets: ArrayLike<number>;
}

/** Return the length of a packed pose of that many joints. */
export function poseSize(joints: number): number {
  return 3 + 4 * joints;
}

/** World positions (3 a joint) and rotations wxyz (4 a joint) of one pose. */
export class WorldPose {
  readonly positions: Float64Array;
  readonly rotations: Float64Array;

  constructor(readonly skeleton: Skeleton) {
    const joints = skeleton.names.length;
    this.positions = new Float64Array(3 * joints);
    this.rotations = new Float64Array(4 * joints);
  }

  /** Compute from the packed pose at offset `at` of `pose`. */
  set(pose: ArrayLike<number>, at = 0): void {
    const { parents, offsets } = this.skeleton;
    const { positions: p, rotations: r } = this;
    const joints = parents.length;
    for (let joint = 0; joint < joints; joint++) {
      const from = at + 3 + 4 * joint;
      let w = pose[from];
      let x = pose[from + 1];
      let y = pose[from + 2];
      let z = pose[from + 3];
      const length = Math.sqrt(w * w + x * x + y * y + z * z) || 1;
      w /= length;
      x /= length;
      y /= length;
      z /= length;
      const to = 4 * joint;
      const spot = 3 * joint;
      const parent = parents[joint];
      if (parent < 0) {
        p[spot] = pose[at];
        p[spot + 1] = pose[at + 1];
        p[spot + 2] = pose[at + 2];
        r[to] = w;
        r[to + 1] = x;
        r[to + 2] = y;
        r[to + 3] = z;
        continue;
      }
      const a = 4 * parent;
      const pw = r[a];
      const px = r[a + 1];
      const py = r[a + 2];
      const pz = r[a + 3];
      r[to] = pw * w - px * x - py * y - pz * z;
      r[to + 1] = pw * x + px * w + py * z - pz * y;
      r[to + 2] = pw * y - px * z + py * w + pz * x;
      r[to + 3] = pw * z + px * y - py * x + pz * w;
      // The offset rotated by the parent's rotation: v + 2 q x (q x v + w v).
      const ox = offsets[spot];
      const oy = offsets[spot + 1];
      const oz = offsets[spot + 2];
      const cx = py * oz - pz * oy + pw * ox;
      const cy = pz * ox - px * oz + pw * oy;
      const cz = px * oy - py * ox + pw * oz;
      p[spot] = p[3 * parent] + ox + 2 * (py * cz - pz * cy);
      p[spot + 1] = p[3 * parent + 1] + oy + 2 * (pz * cx - px * cz);
      p[spot + 2] = p[3 * parent + 2] + oz + 2 * (px * cy - py * cx);
    }
  }
}

/** Compute the joint positions of the rest pose, 3 a joint: offsets summed along the tree, including the root's. */
export function restPositions(skeleton: Skeleton): Float64Array {
  const { parents, offsets } = skeleton;
  const rest = new Float64Array(3 * parents.length);
  for (let joint = 0; joint < parents.length; joint++) {
    for (let k = 0; k < 3; k++) {
      const parent = parents[joint];
      rest[3 * joint + k] = (parent < 0 ? 0 : rest[3 * parent + k]) + offsets[3 * joint + k];
    }
  }
  return rest;
}
