/** The stage: bodies on a floor, seen by a camera. See `createStage`. */

import * as THREE from "three";

import { Cast } from "./cast";
import { StageCamera, type CameraMode } from "./camera";
import { Ground } from "./ground";
import { PointerControls } from "./pointer";
import { THEMES, type Theme, type ThemeName } from "./theme";

export type { Character, CharacterColours, CharacterOptions, TrailData } from "./cast";

export interface StageOptions {
  readonly theme?: ThemeName;
  /** Height of the floor in metres, 0 unless set. */
  readonly floor?: number;
  /** Whether mouse and fingers turn the camera; true unless set. */
  readonly pointer?: boolean;
  /** Shadows cost a second pass; true unless set. */
  readonly shadows?: boolean;
}

const MARGIN = 0.14; // metres of flesh round a joint that must be in view

/**
 * Bodies on a floor, their camera and light. Every setter marks the picture as old; it is drawn once at the next
 * animation frame, so that setting a hundred poses draws one picture. Nothing is allocated while poses change.
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
  private trailsShown = true;
  private plantsShown = true;
  private slow = 0;
  private drawn = 0;
  private last = 0;
  /** Pixels of the picture for one of the page: full where it stands still, fewer where moving takes too long. */
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

  /** Seconds on the clock: what trails, planted feet and seams are shown for. */
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

  /** `follow` goes with the watched characters, `orbit` stays. */
  setCameraMode(mode: CameraMode): void {
    this.view.mode = mode;
    this.invalidate();
  }

  get cameraMode(): CameraMode {
    return this.view.mode;
  }

  /** Where a following camera looks: smoothed beforehand by whoever knows the motion; null for the bodies' middle. */
  setGoal(x: number, y: number, z: number): void {
    (this.goal ??= new THREE.Vector3()).set(x, y, z);
    this.invalidate();
  }

  /** A distance in metres that the camera keeps at least, so that it does not breathe with the arms. */
  setLeastDistance(metres: number): void {
    this.leastDistance = metres;
    this.invalidate();
  }

  /** Let other stages look from where this one looks, and this one from where they do. */
  linkCameras(others: readonly Stage[]): void {
    this.linked = others.filter((other) => other !== this);
  }

  /** Turn by radians, zoom by a factor, or go back to the whole body. */
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

  /** Draw now. */
  draw(): void {
    this.look();
    for (const one of this.seated) {
      for (const { trail } of one.trails) trail.mesh.visible = this.trailsShown;
      if (one.plants) one.plants.mesh.visible = this.plantsShown;
    }
    this.renderer.render(this.scene, this.view.camera);
  }

  /** Fit the picture to the canvas; called by itself when the canvas changes. */
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
    // What was drawn is gone with the old size.
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw();
  }

  /** Give everything back to the browser; the stage is of no use afterwards. */
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

  // ---- inside

  private readonly turned = (): void => {
    for (const other of this.linked) {
      other.view.copyAngles(this.view);
      other.invalidate();
    }
    this.invalidate();
  };

  /** Put camera, lamp and floor round the bodies. */
  private look(): void {
    const { view } = this;
    let lowX = Infinity;
    let lowY = this.floor;
    let lowZ = Infinity;
    let highX = -Infinity;
    let highY = this.floor + 0.5;
    let highZ = -Infinity;
    for (const { watched, at } of this.seated) {
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
    if (view.mode === "follow") {
      if (this.goal) view.target.copy(this.goal);
      else view.target.set((lowX + highX) / 2, (lowY + highY) / 2, (lowZ + highZ) / 2);
    }
    view.begin();
    for (const { watched, at } of this.seated) {
      if (!watched) continue;
      for (let k = 0; k < at.length; k += 3) view.include(at[k], at[k + 1], at[k + 2], MARGIN);
    }
    view.place(this.leastDistance);
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
    // The second light stands opposite the camera and draws an edge along the far side of bodies.
    this.counter.target.position.copy(view.target);
    this.counter.position.set(
      view.target.x - 4 * Math.sin(view.heading + 0.7),
      view.target.y + 2.5,
      view.target.z - 4 * Math.cos(view.heading + 0.7),
    );
    this.ground.follow(view.target.x, view.target.z, Math.max(9, 2.2 * view.distance + spread));
  }

  /** Fewer pixels while bodies move where a picture takes long: machines that draw without a graphics processor. */
  private adapt(took: number): void {
    if (took > 1000) return; // something else than drawing lay between the two pictures
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
 * Make a stage on a canvas whose size its own style gives.
 *
 * ```ts
 * const stage = createStage(canvas, { theme: "dark" });
 * const one = stage.addCharacter({ skeleton, figure });
 * stage.setPose(one, pose); // Float32Array: root x y z, then wxyz a joint
 * stage.setClock(1.5);
 * ```
 *
 * Throws where the browser offers no WebGL 2.
 */
export function createStage(canvas: HTMLCanvasElement, options: StageOptions = {}): Stage {
  return new Stage(canvas, options);
}
