/** Frames of a sequence on the stage: made on the server, one script at a time; only the newest request waits. */

import { arrange } from "./api";
import type { MadeFrames } from "./arranged";
import { settled } from "./dom";
import type { Keeping } from "./sequence_keeping";
import type { Place } from "./tab";
import type { Arranged, Script } from "./timeline_model";
import { fail, sentenceOf } from "./toast";

const AGAIN = 4000; // milliseconds until the next try after an error

export interface FramesEvents {
  /** Whether the tab is shown; nothing is requested otherwise. */
  active(): boolean;
  /** The frames requested were made, or `problem` holds the reason why not. */
  made(): void;
  /** Called some time after an error, when the server may be back. */
  again(): void;
}

export class SequenceFrames {
  made: (Arranged & { readonly frames: MadeFrames }) | null = null;
  /** Reason why there are no frames; empty if there are. */
  problem = "";
  /** Milliseconds from the end of the last edit to its frames on the stage. */
  milliseconds = 0;
  private wanted: Script | null = null;
  private working = false;
  private dropped = 0;

  constructor(
    private readonly place: Place,
    private readonly keeping: Keeping,
    private readonly events: FramesEvents,
  ) {}

  /** Whether the stage shows the sequence, not a single motion. */
  get shown(): boolean {
    return this.place.view.main?.word.startsWith("sequence:") ?? false;
  }

  /** Time of the sequence, in seconds, at which the motion on the stage begins. */
  get zero(): number {
    const view = this.made?.view;
    return view ? view.first_frame / view.fps : 0;
  }

  get clock(): number {
    return this.place.view.time + this.zero;
  }

  /** Start measuring the time to the new frames. */
  letGo(): void {
    this.dropped = performance.now();
  }

  stop(): void {
    this.wanted = null;
  }

  forget(): void {
    this.made = null;
  }

  /** Request the frames of a script; while others are made only the newest request is kept. */
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

  /** Loop a time range with a margin on either side. */
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
        if (this.made?.script !== script) await this.make(script); // the frames of a drag are usually made before its release
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

  /** Update trails and marks once nothing has changed for a moment. */
  private readonly dressSoon = settled(() => {
    const { view } = this.place;
    if (this.events.active() && this.made && view.main === this.made.frames.loaded) view.exchange(this.made.frames.loaded, view.time, true);
  }, 160);
}
