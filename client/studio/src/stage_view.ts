/** Content and time of the stage: motions with a clock, two poses side by side, or a live character. */

import {
  WorldPose,
  createStage,
  poseSize,
  samplePose,
  secondsOf,
  type Body,
  type Character,
  type Plant,
  type SeamPlace,
  type Stage,
  type TrailData,
} from "../../stage/src/index";
import { loadBody, loadMotion } from "./api";
import type { LivePose, LoadedMotion } from "./packed";

const TRAIL_ROLES = ["left_ankle", "right_ankle", "left_wrist", "right_wrist"] as const;
const LONGEST_TRAIL = 5400; // maximum number of points of a trail
const FOOT_JOINTS: Record<string, string> = {
  left_heel: "left_ankle",
  left_toe: "left_toe",
  right_heel: "right_ankle",
  right_toe: "right_toe",
};

interface Player {
  readonly loaded: LoadedMotion;
  readonly body: Body;
  readonly character: Character;
  readonly pose: Float32Array;
}

/** A ground motion as sent by the server. */
export interface Placed {
  readonly turn: number;
  readonly x: number;
  readonly z: number;
}

export type StageMode = "nothing" | "motion" | "poses" | "live";

export class StageView {
  readonly stage: Stage;
  mode: StageMode = "nothing";
  time = 0;
  playing = false;
  speed = 1;
  loop: [number, number] | null = null;
  /** Time range selected in the lanes, in seconds, which can be looped. */
  range: [number, number] | null = null;
  private players: Player[] = [];
  private live: { character: Character; size: number; feet: number[]; colour: string | null } | null = null;
  private busy = 0;
  private last = 0;
  private onionOn = false;
  private trailsOn = true;
  private readonly listeners = new Set<() => void>();
  private readonly changes = new Set<() => void>();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.stage = createStage(canvas);
    requestAnimationFrame(this.frame);
  }

  /** Add a listener for changes of the time. */
  onTime(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Add a listener for changes of the content. */
  onShown(listener: () => void): void {
    this.changes.add(listener);
  }

  get main(): LoadedMotion | null {
    return this.mode === "motion" ? (this.players[0]?.loaded ?? null) : null;
  }

  get seconds(): number {
    return Math.max(0, ...this.players.map(({ loaded }) => secondsOf(loaded.motion)));
  }

  get fps(): number {
    return this.players[0]?.loaded.motion.fps ?? 30;
  }

  get frameNumber(): number {
    return Math.round(this.time * this.fps);
  }

  /** Current root position of the main character, in metres. */
  get root(): [number, number, number] | null {
    const character = this.live?.character ?? this.players[0]?.character;
    return character ? this.stage.jointPosition(character, 0) : null;
  }

  /** Show motions by their identifiers, the first with trails and marks. */
  async show(
    words: readonly string[],
    { at = 0, play = true, loop = null, stay = false }: { at?: number; play?: boolean; loop?: [number, number] | null; stay?: boolean } = {},
  ): Promise<void> {
    const ticket = ++this.busy;
    const loaded = await Promise.all(words.map(loadMotion));
    const bodies = await Promise.all(loaded.map(loadBody));
    if (ticket !== this.busy) return;
    this.clear();
    this.players = loaded.map((one, k) => this.seat(one, bodies[k], k === 0 || words.length > 1));
    this.mode = "motion";
    this.loop = loop;
    if (!stay) this.range = null;
    this.time = Math.min(Math.max(at, 0), this.seconds);
    this.playing = play;
    if (this.players.length === 1) this.decorate(this.players[0]);
    if (!stay) this.stage.resetCamera();
    this.place();
    for (const change of this.changes) change();
  }

  /** Replace the motion shown by another of the same body at time `at`; camera and playback continue. Return false if that is not possible. */
  exchange(loaded: LoadedMotion, at: number, ways: boolean): boolean {
    const player = this.players[0];
    if (this.mode !== "motion" || this.players.length !== 1 || player.loaded.head.body !== loaded.head.body) return false;
    this.players = [{ ...player, loaded }];
    if (ways) this.decorate(this.players[0]);
    this.seek(at);
    return true;
  }

  /** Show two poses side by side: a frame of each of two motions, the second aligned with the first. */
  async poses(a: string, aFrame: number, b: string, bFrame: number, placed: Placed): Promise<void> {
    const ticket = ++this.busy;
    const loaded = await Promise.all([loadMotion(a), loadMotion(b)]);
    const bodies = await Promise.all(loaded.map(loadBody));
    if (ticket !== this.busy) return;
    const same = this.mode === "poses" && this.players[0]?.loaded === loaded[0] && this.players[1]?.loaded === loaded[1];
    if (!same) {
      this.clear();
      this.players = loaded.map((one, k) => this.seat(one, bodies[k], true));
      this.mode = "poses";
      this.playing = false;
      this.stage.resetCamera();
      for (const change of this.changes) change();
    }
    this.tintPair();
    [aFrame, bFrame].forEach((frame, k) => {
      const { motion } = loaded[k];
      const { pose, character } = this.players[k];
      samplePose(motion, frame / motion.fps, pose);
      if (k === 1) lay(pose, placed);
      this.stage.setPose(character, pose);
    });
  }

  /** Show a live character with the body of a motion of one frame. */
  async begin(word: string): Promise<void> {
    const ticket = ++this.busy;
    const loaded = await loadMotion(word);
    const body = await loadBody(loaded);
    if (ticket !== this.busy) return;
    this.clear();
    const character = this.stage.addCharacter(body);
    this.stage.setPose(character, loaded.motion.poses);
    const { roles } = loaded.head;
    const feet = TRAIL_ROLES.map((role) => roles[role]).filter((joint) => joint !== undefined);
    this.live = { character, size: poseSize(loaded.motion.joints), feet, colour: null };
    this.stage.liveTrails(character, TRAIL_ROLES.slice(0, feet.length).map(sideOf), 150);
    this.mode = "live";
    this.playing = false;
    this.stage.resetCamera();
    for (const change of this.changes) change();
  }

  /** Set the pose of the live character, and the colour of the clip with the largest weight. */
  pose({ pose, seconds }: LivePose, colour: string | null): void {
    if (!this.live || pose.length !== this.live.size) return;
    this.time = seconds;
    this.stage.setPose(this.live.character, pose);
    this.stage.setClock(seconds);
    this.stage.pushTrails(this.live.character, this.live.feet);
    if (colour !== this.live.colour) {
      this.live.colour = colour;
      this.stage.setColours(this.live.character, colour === null ? {} : { trunk: colour });
    }
    for (const listener of this.listeners) listener();
  }

  /** Remove everything from the stage. */
  empty(): void {
    this.busy++;
    this.clear();
    this.mode = "nothing";
    this.playing = false;
    for (const change of this.changes) change();
  }

  toggle(playing = !this.playing): void {
    if (this.mode !== "motion") return;
    this.playing = playing;
    if (playing && this.time >= this.seconds - 1e-6) this.seek(this.loop?.[0] ?? 0);
    for (const listener of this.listeners) listener();
  }

  seek(seconds: number): void {
    if (this.mode !== "motion") return;
    this.time = Math.min(Math.max(seconds, 0), this.seconds);
    this.place();
  }

  step(frames: number): void {
    this.playing = false;
    this.seek((this.frameNumber + frames) / this.fps);
  }

  setTrails(on: boolean): void {
    this.trailsOn = on;
    this.stage.showTrails(on);
    this.stage.showPlants(on);
  }

  setOnion(on: boolean): void {
    this.onionOn = on;
    if (this.mode === "motion" && this.players.length === 1) this.onion(this.players[0]);
  }

  setFollow(on: boolean): void {
    this.stage.setCameraMode(on ? "follow" : "orbit");
  }

  private clear(): void {
    for (const { character } of this.players) this.stage.removeCharacter(character);
    if (this.live) this.stage.removeCharacter(this.live.character);
    this.players = [];
    this.live = null;
  }

  private seat(loaded: LoadedMotion, body: Body, watched: boolean): Player {
    const character = this.stage.addCharacter(body, { watched });
    return { loaded, body, character, pose: new Float32Array(poseSize(loaded.motion.joints)) };
  }

  private tintPair(): void {
    const { before, after } = this.stage.colours;
    this.players.forEach(({ character }, k) => {
      const colour = k ? after : before;
      this.stage.setColours(character, { trunk: colour, left: colour, right: colour });
    });
  }

  private decorate(player: Player): void {
    const { trails, plants, seams } = waysOf(player.loaded, player.body);
    this.stage.setTrails(player.character, trails);
    this.stage.setPlants(player.character, plants);
    this.stage.setSeams(player.character, seams);
    this.stage.showTrails(this.trailsOn);
    this.stage.showPlants(this.trailsOn);
    this.onion(player);
  }

  private onion({ loaded, character, body }: Player): void {
    if (!this.onionOn) {
      this.stage.setOnion(character, null);
      return;
    }
    const { motion, head } = loaded;
    const size = poseSize(body.skeleton.names.length);
    const offsets = head.seams.length === 1 ? [-0.7, 0.7] : [-0.6, -0.3, 0.3, 0.6]; // for a transition, poses before and after its blend
    const poses = new Float32Array(size * offsets.length);
    offsets.forEach((offset, k) => samplePose(motion, this.time + offset, poses.subarray(k * size, (k + 1) * size)));
    const { before, after } = this.stage.colours;
    const skins = offsets.map((offset) => ({
      colour: offset < 0 ? before : after,
      amount: 0.68 - 0.35 * Math.abs(offset),
    }));
    this.stage.setOnion(character, poses, skins);
  }

  private place(): void {
    for (const { loaded, character, pose } of this.players) {
      samplePose(loaded.motion, this.time, pose);
      this.stage.setPose(character, pose);
    }
    if (this.players.length === 1) {
      const { loaded, character } = this.players[0];
      const frame = this.time * loaded.motion.fps;
      const inside = loaded.head.seams.some(([start, stop]) => frame >= start - 1 && frame <= stop);
      this.stage.setTint(character, inside ? this.stage.colours.blend : null, 0.45);
      if (this.onionOn) this.onion(this.players[0]);
    }
    this.stage.setClock(this.time);
    for (const listener of this.listeners) listener();
  }

  private readonly frame = (now: number): void => {
    const passed = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (this.mode === "motion" && this.playing && this.players.length) {
      const [from, to] = this.loop ?? [0, this.seconds];
      this.time += passed * this.speed;
      if (this.time > to) this.time = to - from < 1e-3 ? to : from + ((this.time - from) % (to - from));
      this.place();
    }
    requestAnimationFrame(this.frame);
  };
}

function sideOf(role: string): "left" | "right" {
  return role.startsWith("left") ? "left" : "right";
}

/** Apply a ground motion to a pose, in place. */
export function lay(pose: Float32Array, { turn, x, z }: Placed): void {
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const [px, pz] = [pose[0], pose[2]];
  pose[0] = cosine * px + sine * pz + x;
  pose[2] = -sine * px + cosine * pz + z;
  const [half, w, qx, qy, qz] = [turn / 2, pose[3], pose[4], pose[5], pose[6]];
  const [a, b] = [Math.cos(half), Math.sin(half)];
  pose[3] = a * w - b * qy;
  pose[4] = a * qx + b * qz;
  pose[5] = a * qy + b * w;
  pose[6] = a * qz - b * qx;
}

/** Compute trails of feet and hands, planted feet and places of seams of a motion. */
function waysOf(
  { head, motion }: LoadedMotion,
  body: Body,
): { trails: TrailData[]; plants: Plant[]; seams: SeamPlace[] } {
  const stride = Math.max(1, Math.ceil(motion.frames / LONGEST_TRAIL));
  const size = poseSize(motion.joints);
  const joints = TRAIL_ROLES.filter((role) => head.roles[role] !== undefined);
  const count = Math.ceil(motion.frames / stride);
  const points = joints.map(() => new Float32Array(3 * count));
  const world = new WorldPose(body.skeleton);
  const spots = new Map<string, [number, number]>();
  const wanted = new Map<number, string[]>();
  for (const [part, spans] of Object.entries(head.contacts)) {
    for (const [start, stop] of spans) {
      const middle = (start + stop) >> 1;
      wanted.set(middle, [...(wanted.get(middle) ?? []), part]);
    }
  }
  for (let frame = 0; frame < motion.frames; frame++) {
    const parts = wanted.get(frame);
    if (frame % stride !== 0 && !parts) continue;
    world.set(motion.poses, frame * size);
    if (frame % stride === 0) {
      joints.forEach((role, k) => {
        const joint = 3 * head.roles[role];
        for (let axis = 0; axis < 3; axis++) points[k][3 * (frame / stride) + axis] = world.positions[joint + axis];
      });
    }
    for (const part of parts ?? []) {
      const joint = head.roles[FOOT_JOINTS[part]] ?? head.roles[part.startsWith("left") ? "left_ankle" : "right_ankle"];
      if (joint !== undefined) spots.set(`${part} ${frame}`, [world.positions[3 * joint], world.positions[3 * joint + 2]]);
    }
  }
  const plants: Plant[] = [];
  for (const [part, spans] of Object.entries(head.contacts)) {
    for (const [start, stop] of spans) {
      const spot = spots.get(`${part} ${(start + stop) >> 1}`);
      if (!spot) continue;
      plants.push({
        x: spot[0],
        z: spot[1],
        from: start / motion.fps,
        to: (stop - 1) / motion.fps,
        side: sideOf(part),
        radius: part.endsWith("heel") ? 0.055 : 0.042,
      });
    }
  }
  const seams = head.seams.map(([start, stop]) => {
    const middle = Math.min((start + stop) >> 1, motion.frames - 1);
    return {
      x: motion.poses[middle * size],
      z: motion.poses[middle * size + 2],
      from: start / motion.fps,
      to: stop / motion.fps,
    };
  });
  const trails = points.map((row, k) => ({ points: row, step: stride / motion.fps, side: sideOf(joints[k]) }));
  return { trails, plants, seams };
}
