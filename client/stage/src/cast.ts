/** Characters on a stage, each with its onion skins, trails, planted feet and seams. */

import * as THREE from "three";

import { Bodies, type Body } from "./figure";
import { poseSize } from "./kinematics";
import { Marks, type Plant, type SeamPlace } from "./marks";
import { THEMES, type Theme } from "./theme";
import { Trail } from "./trails";

/** Colours of one character as CSS colours; those left out are the theme's. */
export interface CharacterColours {
  readonly trunk?: string;
  readonly left?: string;
  readonly right?: string;
}

export interface CharacterOptions {
  readonly colours?: CharacterColours;
  /** Whether the camera keeps it in view and follows it; true unless set. */
  readonly watched?: boolean;
}

/** A character on the stage. Handles are made by `Stage.addCharacter` and invalid after `removeCharacter`. */
export interface Character {
  readonly body: Body;
  readonly watched: boolean;
}

interface Seated extends Character {
  readonly bodies: Bodies;
  row: number;
  colours: CharacterColours;
  tint: THREE.Color;
  tinted: number;
  readonly at: Float64Array;
  ghosts: Bodies | null;
  trails: { readonly trail: Trail; readonly side: "left" | "right" | "trunk"; readonly step: number }[];
  plants: Marks | null;
  plantData: readonly Plant[];
  seams: Marks | null;
  seamData: readonly SeamPlace[];
}

/** A trail to show; `points` holds 3 numbers a point, one every `step` seconds from 0. */
export interface TrailData {
  readonly points: ArrayLike<number>;
  readonly step: number;
  readonly side: "left" | "right" | "trunk";
}

/** Characters by their handles. The subclass draws them and is notified by `invalidate` when the picture is out of date. */
export abstract class Cast {
  protected readonly scene = new THREE.Scene();
  protected readonly batches = new Map<Body, Bodies>();
  protected readonly seated: Seated[] = [];
  protected theme: Theme = THEMES.dark;
  protected floor = 0;
  protected now = 0;
  protected readonly ink = new THREE.Color();
  private readonly inkLeft = new THREE.Color();
  private readonly inkRight = new THREE.Color();

  /** Request a redraw at the next animation frame. */
  abstract invalidate(): void;

  /** Fit the picture, and lines with a width in pixels, to the canvas. */
  abstract resize(): void;

  /** Put a body on the stage, in its rest pose until `setPose`. */
  addCharacter(body: Body, options: CharacterOptions = {}): Character {
    const bodies = this.batch(body);
    const joints = body.skeleton.names.length;
    const made: Seated = {
      body,
      watched: options.watched ?? true,
      bodies,
      row: bodies.add(),
      colours: options.colours ?? {},
      tint: new THREE.Color(),
      tinted: 0,
      at: new Float64Array(3 * joints),
      ghosts: null,
      trails: [],
      plants: null,
      plantData: [],
      seams: null,
      seamData: [],
    };
    this.seated.push(made);
    const rest = new Float32Array(poseSize(joints));
    for (let joint = 0; joint < joints; joint++) rest[3 + 4 * joint] = 1;
    this.setPose(made, rest);
    this.paint(made);
    return made;
  }

  /** Take a character off the stage with its trails, marks and onion skins. */
  removeCharacter(character: Character): void {
    const one = this.find(character);
    this.setTrails(one, []);
    this.setPlants(one, []);
    this.setSeams(one, []);
    if (one.ghosts) {
      this.scene.remove(one.ghosts.group);
      one.ghosts.dispose();
    }
    const last = one.bodies.length - 1;
    if (one.row !== last) {
      one.bodies.move(last, one.row);
      for (const other of this.seated) if (other.bodies === one.bodies && other.row === last) other.row = one.row;
    }
    one.bodies.keep(last);
    this.seated.splice(this.seated.indexOf(one), 1);
    this.invalidate();
  }

  /** Set the pose of a character: a packed pose (root x y z, then wxyz a joint) at offset `at` of `pose`. */
  setPose(character: Character, pose: ArrayLike<number>, at = 0): void {
    const one = character as Seated;
    one.bodies.setPose(one.row, pose, at);
    one.at.set(one.bodies.pose.positions);
    this.invalidate();
  }

  /** Set the colours of a character; those left out are the theme's. */
  setColours(character: Character, colours: CharacterColours): void {
    const one = this.find(character);
    one.colours = colours;
    this.paint(one);
  }

  /** Blend a colour (of a seam or a source clip) into a character's colours, by an amount from 0 to 1. */
  setTint(character: Character, colour: string | null, amount = 1): void {
    const one = this.find(character);
    one.tinted = colour === null ? 0 : amount;
    if (colour !== null) one.tint.set(colour);
    one.bodies.setTint(one.row, one.tint, one.tinted);
    this.invalidate();
  }

  /** Return the world position of a joint in the current pose, in metres. */
  jointPosition(character: Character, joint: number): [number, number, number] {
    const { at } = this.find(character);
    return [at[3 * joint], at[3 * joint + 1], at[3 * joint + 2]];
  }

  // ---- overlays of a character

  /** Set onion skins: concatenated packed poses, each with a colour and an opacity; null for none. */
  setOnion(
    character: Character,
    poses: ArrayLike<number> | null,
    skins: readonly { readonly colour: string; readonly amount: number }[] = [],
  ): void {
    const one = this.find(character);
    if (poses === null) {
      if (one.ghosts?.length) this.invalidate();
      one.ghosts?.keep(0);
      return;
    }
    if (!one.ghosts) {
      one.ghosts = new Bodies(one.body, true);
      this.scene.add(one.ghosts.group);
    }
    const bodies = one.ghosts;
    const size = poseSize(one.body.skeleton.names.length);
    bodies.keep(skins.length);
    while (bodies.length < skins.length) bodies.add();
    for (let row = 0; row < skins.length; row++) {
      bodies.setPose(row, poses, row * size);
      this.ink.set(skins[row].colour);
      bodies.setColours(row, this.ink, this.ink, this.ink);
      bodies.setTint(row, this.ink, skins[row].amount);
    }
    this.invalidate();
  }

  /** Set complete trails of feet and hands; they are shown near the clock's time. */
  setTrails(character: Character, trails: readonly TrailData[]): void {
    const one = this.find(character);
    for (const { trail } of one.trails) {
      this.scene.remove(trail.mesh);
      trail.dispose();
    }
    one.trails = trails.map(({ points, step, side }) => {
      const trail = new Trail(points.length / 3, this.ink.set(this.colourOf(one, side)));
      trail.set(points, step);
      this.scene.add(trail.mesh);
      return { trail, side, step };
    });
    this.resize();
  }

  /** Allocate trails that grow while a character is steered: `points` of each, sides in the order of `pushTrails`. */
  liveTrails(character: Character, sides: readonly ("left" | "right" | "trunk")[], points = 240): void {
    const one = this.find(character);
    this.setTrails(one, []);
    one.trails = sides.map((side) => {
      const trail = new Trail(points, this.ink.set(this.colourOf(one, side)));
      this.scene.add(trail.mesh);
      return { trail, side, step: 0 };
    });
    this.resize();
  }

  /** Append the current joint positions to the trails made by `liveTrails`. */
  pushTrails(character: Character, joints: readonly number[]): void {
    const one = this.find(character);
    joints.forEach((joint, k) => {
      one.trails[k]?.trail.push(one.at[3 * joint], one.at[3 * joint + 1], one.at[3 * joint + 2], this.now);
    });
    this.invalidate();
  }

  /** Set planted feet: discs on the floor, bright while the foot is planted. */
  setPlants(character: Character, plants: readonly Plant[]): void {
    const one = this.find(character);
    one.plantData = plants;
    one.plants = this.marks(one.plants, plants.length, false);
    if (!one.plants) return;
    const numbers = plants.flatMap(({ x, z, radius, from, to }) => [x, z, radius ?? 0.055, from, to]);
    one.plants.set(
      numbers,
      plants.map(({ side }) => new THREE.Color(this.colourOf(one, side))),
    );
    one.plants.setActive(this.ink.set(this.theme.planted));
  }

  /** Set the places of seams: rings on the floor, bright during the seam. */
  setSeams(character: Character, seams: readonly SeamPlace[]): void {
    const one = this.find(character);
    one.seamData = seams;
    one.seams = this.marks(one.seams, seams.length, true);
    if (!one.seams) return;
    one.seams.set(
      seams.flatMap(({ x, z, from, to }) => [x, z, 0.42, from, to]),
      seams.map(() => new THREE.Color(this.theme.seam)),
    );
    one.seams.setActive(this.ink.set(this.theme.seam));
  }

  // ---- internal

  private find(character: Character): Seated {
    const one = character as Seated;
    if (!this.seated.includes(one)) throw new Error("this character is not on the stage");
    return one;
  }

  private batch(body: Body): Bodies {
    let bodies = this.batches.get(body);
    if (!bodies) {
      bodies = new Bodies(body, false);
      this.batches.set(body, bodies);
      this.scene.add(bodies.group);
    }
    return bodies;
  }

  protected colourOf(one: Seated, side: "left" | "right" | "trunk"): string {
    return one.colours[side] ?? this.theme[side];
  }

  protected paint(one: Seated): void {
    one.bodies.setColours(
      one.row,
      this.ink.set(this.colourOf(one, "trunk")),
      this.inkLeft.set(this.colourOf(one, "left")),
      this.inkRight.set(this.colourOf(one, "right")),
    );
    one.bodies.setTint(one.row, one.tint, one.tinted);
    this.invalidate();
  }

  private marks(old: Marks | null, count: number, ring: boolean): Marks | null {
    if (old) {
      this.scene.remove(old.mesh);
      old.dispose();
    }
    this.invalidate();
    if (!count) return null;
    const made = new Marks(ring);
    made.setHeight(this.floor);
    made.setClock(this.now);
    this.scene.add(made.mesh);
    return made;
  }
}
