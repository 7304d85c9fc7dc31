/** Interfaces of a tab and of the page that contains it. */

import type { BlankWords } from "./blank";
import type { Lanes } from "./lanes";
import type { Link } from "./socket";
import type { StageView } from "./stage_view";
import type { Store } from "./store";
import type { LivePose } from "./packed";
import type { FaultView, JobView, Span, ToPage } from "./wire";

export interface Place {
  readonly store: Store;
  readonly view: StageView;
  readonly lanes: Lanes;
  readonly link: Link;
  /** The inspector on the right, filled by the tab. */
  readonly inspector: HTMLElement;
  /** Layer over the stage, for drawings and hints of the tab. */
  readonly overlay: HTMLElement;
  /** Redraw the message on an empty stage. */
  blank(): void;
  /** Watch a job; `done` receives its result. */
  watch(job: number, done: (result: string) => void, moved?: (job: JobView) => void): void;
}

export interface Tab {
  readonly title: string;
  /** Called when the tab is shown: fill the inspector and the stage. */
  open(): void;
  /** Called when another tab is shown. */
  close?(): void;
  /** Return the message for an empty stage. */
  blank(): BlankWords | null;
  /** Called when the server answers again: repeat requests that failed meanwhile. */
  linked?(): void;
  message?(message: ToPage): void;
  pose?(pose: LivePose): void;
  range?(start: number, stop: number): void;
  /** Return the function that sets the contacts in the lanes, null where they cannot be edited. */
  contacts?(): ((spans: Span[]) => void) | null;
  /** Return the faults of the clip on the stage, shaded in the lanes. */
  faults?(): readonly FaultView[];
  /** Handle a key with Ctrl or Cmd; return whether it has a function. */
  command?(event: KeyboardEvent): boolean;
  key?(event: KeyboardEvent): boolean;
}
