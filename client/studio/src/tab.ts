/** What a tab gets and what it is. */

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
  /** The inspector on the right: the tab fills it. */
  readonly inspector: HTMLElement;
  /** Laid over the stage: drawings and hints of the tab. */
  readonly overlay: HTMLElement;
  /** Say anew what stands on an empty stage. */
  blank(): void;
  /** Start to watch a job; `done` gets its result. */
  watch(job: number, done: (result: string) => void, moved?: (job: JobView) => void): void;
}

export interface Tab {
  readonly title: string;
  /** It is shown: fill the inspector and the stage. */
  open(): void;
  /** Another tab is shown. */
  close?(): void;
  /** What an empty stage says here. */
  blank(): BlankWords | null;
  /** The server answers again: what failed meanwhile is asked for once more. */
  linked?(): void;
  message?(message: ToPage): void;
  pose?(pose: LivePose): void;
  range?(start: number, stop: number): void;
  /** What the contacts on the lanes are set by, where this tab lets them be edited. */
  contacts?(): ((spans: Span[]) => void) | null;
  /** Faults of the clip on the stage, shaded in the lanes. */
  faults?(): readonly FaultView[];
  /** A key with Ctrl or Cmd. */
  command?(event: KeyboardEvent): boolean;
  key?(event: KeyboardEvent): boolean;
}
