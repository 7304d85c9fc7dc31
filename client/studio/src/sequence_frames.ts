/** Frames of a sequence on the stage: made on the server, one script at a time, the newest first. */

import { arrange } from "./api";
import type { MadeFrames } from "./arranged";
import { settled } from "./dom";
import type { Keeping } from "./sequence_keeping";
import type { Place } from "./tab";
import type { Arranged, Script } from "./timeline_model";
import { fail, sentenceOf } from "./toast";

const AGAIN = 4000; // milliseconds until it is tried again after an error

export interface FramesEvents {
  /** Whether the tab is shown: without it nothing is asked for. */
  active(): boolean;
  /** What was asked for is made, or a sentence says why it is not. */
  made(): void;
  /** Some time after an error: the server may be back by now. */
  again(): void;
}

export class SequenceFrames {
  made: (Arranged & { readonly frames: MadeFrames }) | null = null;
  /** Why there are no frames; empty where there are. */
  problem = "";
  /** Milliseconds from the last edit that was let go to its frames on the stage. */
  milliseconds = 0;
  private wanted: Script | null = null;
  private working = false;
  private dropped = 0;

  constructor(
    private readonly place: Place,
    private readonly keeping: Keeping,
    private readonly events: FramesEvents,
  ) {}

  /** Whether the sequence is what the stage shows, and not a motion that is looked at. */
  get shown(): boolean {
    return this.place.view.main?.word.startsWith("sequence:") ?? false;
  }

  /** Seconds of the clock at which the motion on the stage begins. */
  get zero(): number {
    const view = this.made?.view;
    return view ? view.first_frame / view.fps : 0;
  }

  get clock(): number {
    return this.place.view.time + this.zero;
  }

  /** From now on the time to the new frames is measured. */
  letGo(): void {
    this.dropped = performance.now();
  }

  stop(): void {
    this.wanted = null;
  }

  forget(): void {
    this.made = null;
  }

  /** Ask for the frames of a script; while others are made only the newest is remembered. */
  want(script: Script): void {
    this.wanted = script;
    void this.work();
  }

  seek(clock: number): void {
    const { view } = this.place;
    if (this.made && !this.shown) {
      void view.show([this.made.frames.loaded.word], { at: clock - this.zero, play: false }).catch(fail);
      return;
    }
    view.toggle(false);
    view.seek(clock - this.zero);
  }

  /** Play a stretch of the clock with a little on either side, again and again. */
  loop(from: number, to: number): void {
    const { view } = this.place;
    view.loop = [Math.max(from - this.zero - 0.8, 0), Math.min(to - this.zero + 0.8, view.seconds)];
    view.seek(view.loop[0]);
    view.toggle(true);
  }

  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    while (this.wanted && this.events.active()) {
      const script = this.wanted;
      this.wanted = null;
      try {
        if (this.made?.script !== script) await this.make(script); // a drag is mostly made before it is let go
        if (this.dropped && !this.wanted) this.milliseconds = performance.now() - this.dropped;
        if (!this.wanted) this.dropped = 0;
        this.problem = "";
      } catch (error) {
        this.made = null;
        this.problem = sentenceOf(error);
        setTimeout(() => this.problem && !this.wanted && this.events.again(), AGAIN);
      }
      this.events.made();
    }
    this.working = false;
  }

  private async make(script: Script): Promise<void> {
    const { view } = this.place;
    if (!script.motions.length) {
      this.made = null;
      if (view.mode !== "nothing") view.empty();
      return;
    }
    const { clock } = this;
    const on = this.made !== null && this.shown;
    const frames = await arrange(this.keeping.told(script), on ? (this.made?.frames ?? null) : null);
    if (!this.events.active()) return;
    this.made = { script, view: frames.view, frames };
    const at = clock - this.zero;
    if (on && view.exchange(frames.loaded, at, false)) this.dressSoon();
    else await view.show([frames.loaded.word], { at: on ? at : 0, play: !on });
  }

  /** Trails and marks follow when nothing moves for a moment. */
  private readonly dressSoon = settled(() => {
    const { view } = this.place;
    if (this.events.active() && this.made && view.main === this.made.frames.loaded) view.exchange(this.made.frames.loaded, view.time, true);
  }, 160);
}
