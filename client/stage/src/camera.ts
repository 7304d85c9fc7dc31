/**
 * The orbit camera: a target, a distance and two angles. It keeps entire bodies in view.
 *
 * `follow` moves the target with the bodies, `orbit` keeps it fixed. Whatever the zoom, the
 * distance never falls below what the bodies need, unless `closeUp` allows it.
 */

import * as THREE from "three";

export type CameraMode = "follow" | "orbit";

/** A fixed view of a box in the world, from a heading (radians) and a height in metres. */
export interface Shot {
  readonly centre: readonly [number, number, number];
  /** Half extents of the box. */
  readonly half: readonly [number, number, number];
  readonly heading: number;
  readonly height: number;
}

const FIELD = 30; // degrees, the smaller side of the picture
const NEAREST = 0.6;
const FARTHEST = 60;
const FILLED = 0.86; // fraction of the picture's half width and height that bodies may fill

export class StageCamera {
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.05, 200);
  mode: CameraMode = "follow";
  /** Whether the user may zoom in until a body leaves the picture. */
  closeUp = false;
  /** Radians: from +Z towards +X, and up from the floor. */
  heading = 0.55;
  rise = 0.2;
  readonly target = new THREE.Vector3(0, 0.9, 0);
  private wanted = 0;
  private needed = 4;
  private right = new THREE.Vector3();
  private up = new THREE.Vector3();
  private back = new THREE.Vector3();

  /** Set the aspect ratio of the picture, width over height. */
  setAspect(aspect: number): void {
    this.camera.aspect = aspect;
    // The field of view applies to the smaller side, so that an upright phone sees as much as a wide screen.
    const half = Math.tan((FIELD * Math.PI) / 360);
    this.camera.fov = (Math.atan(aspect >= 1 ? half : half / Math.max(aspect, 0.2)) * 360) / Math.PI;
    this.camera.updateProjectionMatrix();
  }

  /** Turn by radians. */
  turn(heading: number, rise: number): void {
    this.heading += heading;
    this.rise = Math.min(Math.max(this.rise + rise, -0.05), 1.5);
  }

  /** Multiply the distance: below 1 is nearer. */
  zoom(factor: number): void {
    const { distance } = this;
    if (factor < 1 && distance <= this.needed * 1.001) this.closeUp = true;
    this.wanted = Math.min(Math.max(distance * factor, NEAREST), FARTHEST);
    if (factor > 1 && this.wanted >= this.needed) this.closeUp = false;
  }

  /** Move the target in the picture plane, in fractions of its height; from then on the camera does not follow. */
  pan(right: number, up: number): void {
    this.mode = "orbit";
    this.axes();
    const scale = 2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360);
    this.target.addScaledVector(this.right, -right * scale).addScaledVector(this.up, up * scale);
  }

  /** Reset the distance to the one that the bodies need. */
  reset(): void {
    this.closeUp = false;
    this.wanted = 0;
  }

  get distance(): number {
    return this.closeUp ? this.wanted : Math.max(this.wanted, this.needed);
  }

  /** Start collecting the points that must be in view. */
  begin(): void {
    this.axes();
    this.needed = NEAREST;
  }

  /** Keep a point, with a margin in metres, in view. */
  include(x: number, y: number, z: number, around: number): void {
    const dx = x - this.target.x;
    const dy = y - this.target.y;
    const dz = z - this.target.z;
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * FILLED;
    const across = Math.abs(dx * this.right.x + dy * this.right.y + dz * this.right.z) + around;
    const along = Math.abs(dx * this.up.x + dy * this.up.y + dz * this.up.z) + around;
    const depth = dx * this.back.x + dy * this.back.y + dz * this.back.z + around;
    this.needed = Math.max(this.needed, depth + across / (half * this.camera.aspect), depth + along / half);
  }

  /** Place the camera; `least` is the minimum distance in metres, constant over a motion. */
  place(least: number): void {
    this.needed = Math.max(this.needed, least);
    const { camera, target } = this;
    camera.position.copy(target).addScaledVector(this.back, this.distance);
    camera.lookAt(target);
    camera.updateMatrixWorld();
  }

  /** Look at a box from a heading and a height, with all of the box in view. */
  aim({ centre: [x, y, z], half, heading, height }: Shot, around: number): void {
    this.mode = "orbit";
    this.target.set(x, y, z);
    this.heading = heading;
    this.rise = 0;
    this.reset();
    for (let turn = 0; turn < 6; turn++) {
      this.begin(); // the rise and the distance depend on each other
      for (let corner = 0; corner < 8; corner++) {
        const sign = (bit: number): number => (corner & bit ? 1 : -1);
        this.include(x + sign(1) * half[0], y + sign(2) * half[1], z + sign(4) * half[2], around);
      }
      this.rise = Math.asin(Math.min(Math.max((height - y) / this.needed, -0.05), 0.95));
    }
  }

  /** Copy angles and distance from another camera. */
  copyAngles(other: StageCamera): void {
    this.heading = other.heading;
    this.rise = other.rise;
    this.wanted = other.wanted;
    this.closeUp = other.closeUp;
  }

  private axes(): void {
    const { heading, rise } = this;
    this.back.set(
      Math.sin(heading) * Math.cos(rise),
      Math.sin(rise),
      Math.cos(heading) * Math.cos(rise),
    );
    this.right.set(Math.cos(heading), 0, -Math.sin(heading));
    this.up.crossVectors(this.back, this.right);
  }
}
