/** The stage: bodies on a floor with camera and light. See `createStage`. */

import * as THREE from "three";

import { Cast } from "./cast";
import { StageCamera, type CameraMode, type Shot } from "./camera";
import { Ground } from "./ground";
import { PointerControls } from "./pointer";
import { THEMES, type Theme, type ThemeName } from "./theme";

export type { Character, CharacterColours, CharacterOptions, TrailData } from "./cast";

export interface StageOptions {
  readonly theme?: ThemeName;
  /** Height of the floor in metres; 0 by default. */
  readonly floor?: number;
  /** Whether mouse and touch control the camera; true by default. */
  readonly pointer?: boolean;
  /** Whether shadows are drawn, in a second pass; true by default. */
  readonly shadows?: boolean;
  /** Whether the floor is drawn; true by default. */
  readonly ground?: boolean;
  /** Whether the picture keeps its full resolution while bodies move, however long drawing takes; false by default. */
  readonly steady?: boolean;
}

const MARGIN = 0.14; // metres round a joint that must be in view, for the body's surface

/**
 * Bodies on a floor, their camera and light. Every setter marks the picture as out of date; it is drawn once at the next
 * animation frame, so that setting a hundred poses causes one draw. Nothing is allocated while poses change.
 */
export class Stage extends Cast {
  readonly view = new StageCamera();
  private readonly renderer: THREE.WebGLRenderer;
  private readonly ground = new Ground();
  private readonly lamp = new THREE.DirectionalLight(0xffffff, 2);
  private readonly sky = new THREE.HemisphereLight(0xf4f7ff, 0x8b8178, 1.3);
  private readonly counter = new THREE.DirectionalLight(0xbfd4ff, 0.5);
  private readonly pointer: PointerControls | null;
  private readonly observer: ResizeObserver;
  private frame = 0;
  private linked: Stage[] = [];
  private leastDistance = 0;
  private goal: THREE.Vector3 | null = null;
  private shot: Shot | null = null;
  private readonly steady: boolean;
  private trailsShown = true;
  private plantsShown = true;
  private slow = 0;
  private drawn = 0;
  private last = 0;
  /** Picture pixels per CSS pixel: full at rest, fewer where drawing of moving bodies takes too long. */
  private readonly full = Math.min(globalThis.devicePixelRatio || 1, 2);
  private moving = this.full;
  private pixels = this.full;
  private stillness = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    options: StageOptions = {},
  ) {
    super();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = options.shadows ?? true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene.add(this.ground.group, this.lamp, this.lamp.target, this.sky, this.counter, this.counter.target);
    this.lamp.castShadow = options.shadows ?? true;
    this.ground.showFloor(options.ground ?? true);
    this.steady = options.steady ?? false;
    this.lamp.shadow.mapSize.set(1024, 1024);
    this.lamp.shadow.radius = 5;
    this.lamp.shadow.bias = -0.0004;
    this.lamp.shadow.normalBias = 0.04;
    this.pointer = options.pointer === false ? null : new PointerControls(canvas, this.view, this.turned);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.setFloor(options.floor ?? 0);
    this.setTheme(options.theme ?? "dark");
    this.resize();
  }

  // ---- time, theme, camera

  /** Set the time in seconds for which trails, planted feet and seams are shown. */
  setClock(seconds: number): void {
    this.now = seconds;
    for (const one of this.seated) {
      for (const { trail, step } of one.trails) trail.setClock(seconds, step);
      one.plants?.setClock(seconds);
      one.seams?.setClock(seconds);
    }
    this.invalidate();
  }

  setTheme(name: ThemeName): void {
    this.theme = THEMES[name];
    this.ground.setTheme(this.theme);
    this.lamp.intensity = this.theme.lamp;
    this.sky.intensity = this.theme.sky;
    for (const one of this.seated) {
      this.paint(one);
      for (const { trail, side } of one.trails) trail.setColour(this.ink.set(this.colourOf(one, side)));
      this.setPlants(one, one.plantData);
      this.setSeams(one, one.seamData);
    }
    this.invalidate();
  }

  /** Colours of the theme in use. */
  get colours(): Theme {
    return this.theme;
  }

  setFloor(height: number): void {
    this.floor = height;
    this.ground.setHeight(height);
    for (const one of this.seated) {
      one.plants?.setHeight(height);
      one.seams?.setHeight(height);
    }
    this.invalidate();
  }

  showTrails(shown: boolean): void {
    this.trailsShown = shown;
    this.invalidate();
  }

  showPlants(shown: boolean): void {
    this.plantsShown = shown;
    this.invalidate();
  }

  /** Set the camera mode: `follow` moves with the watched characters, `orbit` does not. */
  setCameraMode(mode: CameraMode): void {
    this.view.mode = mode;
    this.invalidate();
  }

  get cameraMode(): CameraMode {
    return this.view.mode;
  }

  /** Set the point that a following camera looks at, already smoothed by the caller. */
  setGoal(x: number, y: number, z: number): void {
    (this.goal ??= new THREE.Vector3()).set(x, y, z);
    this.invalidate();
  }

  /** Set the minimum camera distance in metres, so that arm swings do not zoom the view. */
  setLeastDistance(metres: number): void {
    this.leastDistance = metres;
    this.invalidate();
  }

  /** Set a fixed view; null restores the camera that keeps the bodies in view. */
  setShot(shot: Shot | null): void {
    this.shot = shot;
    this.invalidate();
  }

  showGround(shown: boolean): void {
    this.ground.showFloor(shown);
    this.invalidate();
  }

  /** Link the cameras of other stages with this one, in both directions. */
  linkCameras(others: readonly Stage[]): void {
    this.linked = others.filter((other) => other !== this);
  }

  /** Turn the camera by radians. */
  turnCamera(heading: number, rise: number): void {
    this.view.turn(heading, rise);
    this.turned();
  }

  zoomCamera(factor: number): void {
    this.view.zoom(factor);
    this.turned();
  }

  resetCamera(): void {
    this.view.reset();
    this.turned();
  }

  // ---- drawing

  /** Draw at the next animation frame. */
  invalidate(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      this.adapt(now - this.last);
      this.last = now;
      if (this.pixels > this.moving) this.sharpen(this.moving);
      else this.draw();
    });
  }

  /** Draw immediately. */
  draw(): void {
    this.look();
    for (const one of this.seated) {
      for (const { trail } of one.trails) trail.mesh.visible = this.trailsShown;
      if (one.plants) one.plants.mesh.visible = this.plantsShown;
    }
    this.renderer.render(this.scene, this.view.camera);
  }

  /** Fit the picture to the canvas; called automatically when the canvas size changes. */
  resize(): void {
    const width = Math.max(this.canvas.clientWidth, 1);
    const height = Math.max(this.canvas.clientHeight, 1);
    this.renderer.setPixelRatio(this.pixels);
    this.renderer.setSize(width, height, false);
    this.view.setAspect(width / height);
    this.ground.setAspect(width / height);
    const thick = 3.4 * this.pixels;
    for (const one of this.seated) {
      for (const { trail } of one.trails) trail.setSize(width * this.pixels, height * this.pixels, thick);
    }
    // Resizing clears the picture, so redraw.
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw();
  }

  /** Free all resources; the stage cannot be used afterwards. */
  dispose(): void {
    clearTimeout(this.stillness);
    if (this.frame) cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.pointer?.dispose();
    while (this.seated.length) this.removeCharacter(this.seated[0]);
    for (const bodies of this.batches.values()) bodies.dispose();
    this.ground.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    if (this.frame) cancelAnimationFrame(this.frame);
  }

  // ---- internal

  private readonly turned = (): void => {
    for (const other of this.linked) {
      other.view.copyAngles(this.view);
      other.invalidate();
    }
    this.invalidate();
  };

  /** Place camera, lamp and floor round the bodies. */
  private look(): void {
    const { view } = this;
    let lowX = Infinity;
    let lowY = this.floor;
    let lowZ = Infinity;
    let highX = -Infinity;
    let highY = this.floor + 0.5;
    let highZ = -Infinity;
    if (this.shot) {
      const { centre, half } = this.shot;
      [lowX, lowY, lowZ] = [centre[0] - half[0], centre[1] - half[1], centre[2] - half[2]];
      [highX, highY, highZ] = [centre[0] + half[0], centre[1] + half[1], centre[2] + half[2]];
    }
    for (const { watched, at } of this.shot ? [] : this.seated) {
      if (!watched) continue;
      for (let k = 0; k < at.length; k += 3) {
        lowX = Math.min(lowX, at[k]);
        lowY = Math.min(lowY, at[k + 1]);
        lowZ = Math.min(lowZ, at[k + 2]);
        highX = Math.max(highX, at[k]);
        highY = Math.max(highY, at[k + 1]);
        highZ = Math.max(highZ, at[k + 2]);
      }
    }
    if (lowX > highX) lowX = highX = lowZ = highZ = 0;
    if (this.shot) view.aim(this.shot, MARGIN);
    else if (view.mode === "follow") {
      if (this.goal) view.target.copy(this.goal);
      else view.target.set((lowX + highX) / 2, (lowY + highY) / 2, (lowZ + highZ) / 2);
    }
    if (!this.shot) view.begin();
    for (const { watched, at } of this.shot ? [] : this.seated) {
      if (!watched) continue;
      for (let k = 0; k < at.length; k += 3) view.include(at[k], at[k + 1], at[k + 2], MARGIN);
    }
    view.place(this.shot ? 0 : this.leastDistance);
    const middle = (lowX + highX) / 2;
    const centre = (lowZ + highZ) / 2;
    const spread = Math.max(1.6, 0.62 * Math.hypot(highX - lowX, highZ - lowZ) + 0.9, 0.8 * (highY - lowY));
    this.lamp.target.position.set(middle, this.floor + 0.6, centre);
    this.lamp.position.set(middle + 2.2 * spread, this.floor + 4.2 * spread, centre + 2.6 * spread);
    const box = this.lamp.shadow.camera;
    box.left = box.bottom = -1.5 * spread;
    box.right = box.top = 1.5 * spread;
    box.far = 9 * spread;
    box.near = 0.5;
    box.updateProjectionMatrix();
    // The second light is opposite the camera and lights the rim of the bodies.
    this.counter.target.position.copy(view.target);
    this.counter.position.set(
      view.target.x - 4 * Math.sin(view.heading + 0.7),
      view.target.y + 2.5,
      view.target.z - 4 * Math.cos(view.heading + 0.7),
    );
    this.ground.follow(view.target.x, view.target.z, Math.max(9, 2.2 * view.distance + spread));
  }

  /** Reduce the resolution of moving bodies where drawing is slow, as on machines without a GPU. */
  private adapt(took: number): void {
    if (took > 1000 || this.steady) return; // the pause between the pictures was not caused by drawing
    this.drawn += 1;
    this.slow = 0.85 * this.slow + 0.15 * took;
    if (this.drawn > 12 && this.slow > 40 && this.moving > 0.6) {
      this.moving = Math.max(0.7 * this.moving, 0.6);
      this.drawn = 0;
      this.slow = 0;
    }
    if (this.moving === this.full) return;
    clearTimeout(this.stillness);
    this.stillness = setTimeout(() => this.sharpen(this.full), 350) as unknown as number;
  }

  private sharpen(pixels: number): void {
    if (this.pixels === pixels) return;
    this.pixels = pixels;
    this.resize();
  }
}

/**
 * Make a stage on a canvas, whose size is set by its CSS.
 *
 * ```ts
 * const stage = createStage(canvas, { theme: "dark" });
 * const one = stage.addCharacter({ skeleton, figure });
 * stage.setPose(one, pose); // Float32Array: root x y z, then wxyz a joint
 * stage.setClock(1.5);
 * ```
 *
 * Throws where the browser has no WebGL 2.
 */
export function createStage(canvas: HTMLCanvasElement, options: StageOptions = {}): Stage {
  return new Stage(canvas, options);
}
