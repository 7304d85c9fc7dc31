/**
 * The display of motions: one stage of fixed size, the same camera for all motions of a trial, and text between them.
 *
 * Nothing on it depends on the condition. A motion plays once, at its own speed, from its first frame to its last.
 */

import { createStage, poseSize, samplePose, type Body, type Character, type Motion, type Stage, type ThemeName } from "../../stage/src/index";
import { h, put } from "../../studio/src/dom";
import type { CameraView } from "./wire";

/** Thrown when the page was hidden while a motion played; the trial is shown again. */
export class Hidden extends Error {}

export class Theatre {
  readonly element: HTMLElement;
  readonly stage: Stage;
  private readonly curtain = h("div", { class: "curtain" });
  private readonly label = h("div", { class: "label", hidden: true });
  private readonly pose: Float32Array;
  private character: Character | null = null;

  constructor(
    private readonly body: Body,
    theme: ThemeName,
  ) {
    const canvas = h("canvas", { class: "stage", "aria-label": "a figure that moves" });
    this.element = h("div", { class: "theatre" }, canvas, this.curtain, this.label);
    this.stage = createStage(canvas, { theme, pointer: false, ground: false, steady: true });
    this.pose = new Float32Array(poseSize(body.skeleton.names.length));
  }

  /** Set the camera for all motions of a trial. */
  aim({ centre, half, heading, height, ground }: CameraView): void {
    this.stage.showGround(ground);
    this.stage.setShot({ centre, half, heading, height });
  }

  /** Remove the body and show words in its place; the background is unchanged, so that nothing flashes. */
  close(...words: (Node | string)[]): void {
    this.empty();
    this.label.hidden = true;
    this.curtain.hidden = false;
    put(this.curtain, ...words.map((word) => (typeof word === "string" ? h("p", {}, word) : word)));
  }

  /** Show one frame of a motion, without words. */
  still(motion: Motion, frame: number): void {
    this.seat();
    samplePose(motion, frame / motion.fps, this.pose);
    this.stage.setPose(this.character as Character, this.pose);
    this.curtain.hidden = true;
    this.stage.draw();
  }

  /** Show the stage without a body. */
  empty(): void {
    if (this.character) this.stage.removeCharacter(this.character);
    this.character = null;
    this.curtain.hidden = true;
    this.stage.draw();
  }

  /**
   * Play a motion once under a label; `begun` is called when its first frame is drawn. Returns the time at which its last frame
   * was drawn, in milliseconds of `performance.now()`; throws `Hidden` if the page was hidden meanwhile.
   */
  play(motion: Motion, label: string, begun: (now: number) => void): Promise<number> {
    this.seat();
    this.label.textContent = label;
    this.label.hidden = !label;
    const length = (motion.frames - 1) / motion.fps;
    return new Promise((done, failed) => {
      let start = -1;
      const hidden = (): void => {
        if (document.visibilityState !== "hidden") return;
        start = Infinity;
        stop();
        failed(new Hidden());
      };
      const stop = (): void => document.removeEventListener("visibilitychange", hidden);
      document.addEventListener("visibilitychange", hidden);
      const step = (now: number): void => {
        if (start === Infinity) return;
        const first = start < 0;
        if (first) start = now;
        const seconds = Math.min((now - start) / 1000, length);
        samplePose(motion, seconds, this.pose);
        this.stage.setPose(this.character as Character, this.pose);
        this.stage.draw();
        if (first) {
          this.curtain.hidden = true;
          begun(now);
        }
        if (seconds < length) {
          requestAnimationFrame(step);
          return;
        }
        stop();
        done(now);
      };
      requestAnimationFrame(step);
    });
  }

  private seat(): void {
    this.character ??= this.stage.addCharacter(this.body);
  }
}
