/** Scripts changed by a drag: of a motion, of an end of its core, or of a motion from the list. */

import { added, draggedCore, moved, snapped, withCore, type Block, type Part, type Script } from "./timeline_model";
import type { ElementView } from "./wire";

const SNAP = 7; // pixels within which a dragged core snaps

/** The part grabbed by the pointer, and the script at that moment. */
export interface Grasp {
  readonly id: number;
  readonly part: Part;
  readonly block: Block;
  readonly script: Script;
}

/** The surroundings that a core snaps to. */
export interface Around {
  readonly blocks: readonly Block[];
  readonly elements: ReadonlyMap<string, ElementView>;
  /** Time of the playhead, in seconds. */
  readonly clock: number;
  /** Pixels a second. */
  readonly pixels: number;
  /** Whether snapping is off. */
  readonly free: boolean;
}

/** The changed script, and the time that a core snapped to. */
export interface Dragged {
  readonly script: Script;
  readonly mark: number | null;
}

/** Return the begin of a core dragged to a time, snapped to the playhead or to the place where its motion meets the end or begin of another. */
function placed(at: number, id: number, { ahead, rest }: { ahead: number; rest: number }, around: Around): { at: number; mark: number | null } {
  if (around.free) return { at, mark: null };
  const others = around.blocks.filter((one) => one.id !== id);
  const marks = [around.clock, ...others.flatMap((one) => [one.end + ahead, one.begin - rest])];
  const to = snapped(at, marks, SNAP / around.pixels);
  return { at: to, mark: to === at ? null : to };
}

/** Drag a motion or an end of its core by some seconds. */
export function draggedScript({ id, part, block, script }: Grasp, by: number, around: Around): Dragged {
  if (part === "body") {
    const size = { ahead: block.core[0] - block.begin, rest: block.end - block.core[0] };
    const { at, mark } = placed(block.core[0] + by, id, size, around);
    return { script: moved(script, id, at), mark };
  }
  const element = around.elements.get(block.motion);
  if (!element) return { script, mark: null };
  const { fps, frames } = element;
  const core = script.cores[block.motion] ?? element.core;
  const at = (part === "core-begin" ? block.core[0] : block.core[1]) + by;
  const next = draggedCore(core, part, { at, begin: block.begin, fps, frames });
  // The motion keeps its place in time: its core begins when that frame is shown.
  const begins = block.begin + next[0] / fps;
  const placing = script.motions.find((one) => one.id === id);
  const cored = withCore(script, block.motion, next);
  return { script: placing?.at === null ? cored : moved(cored, id, begins), mark: null };
}

/** Add a motion to a script, with the middle of its core at a time. */
export function carriedScript(script: Script, { id, motion }: { id: number; motion: string }, middle: number, around: Around): Dragged {
  const element = around.elements.get(motion);
  if (!element) return { script, mark: null };
  const { fps, frames } = element;
  const [first, stop] = script.cores[motion] ?? element.core;
  const size = { ahead: first / fps, rest: (frames - first) / fps };
  const { at, mark } = placed(middle - (stop - first) / fps / 2, id, size, around);
  return { script: added(script, motion, at, id), mark };
}
