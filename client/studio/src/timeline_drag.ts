/** What a drag makes of a script: a motion that is moved, an end of its core, a motion of the list that is carried in. */

import { added, draggedCore, moved, snapped, withCore, type Block, type Part, type Script } from "./timeline_model";
import type { ElementView } from "./wire";

const SNAP = 7; // pixels within which a dragged core snaps

/** What was taken hold of, and the script as it was then. */
export interface Grasp {
  readonly id: number;
  readonly part: Part;
  readonly block: Block;
  readonly script: Script;
}

/** What lies around: to what a core snaps. */
export interface Around {
  readonly blocks: readonly Block[];
  readonly elements: ReadonlyMap<string, ElementView>;
  /** Where the playhead is. */
  readonly clock: number;
  /** Pixels a second. */
  readonly pixels: number;
  /** Whether nothing snaps. */
  readonly free: boolean;
}

/** The script by now, and the time to which a core snapped. */
export interface Dragged {
  readonly script: Script;
  readonly mark: number | null;
}

/** When a core begins that is let go at a time: at the playhead, or where its motion meets the end or begin of another. */
function placed(at: number, id: number, { ahead, rest }: { ahead: number; rest: number }, around: Around): { at: number; mark: number | null } {
  if (around.free) return { at, mark: null };
  const others = around.blocks.filter((one) => one.id !== id);
  const marks = [around.clock, ...others.flatMap((one) => [one.end + ahead, one.begin - rest])];
  const to = snapped(at, marks, SNAP / around.pixels);
  return { at: to, mark: to === at ? null : to };
}

/** A motion or an end of its core, dragged by some seconds. */
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
  // The rest of the motion stays where it is: its core begins when that frame is shown.
  const begins = block.begin + next[0] / fps;
  const placing = script.motions.find((one) => one.id === id);
  const cored = withCore(script, block.motion, next);
  return { script: placing?.at === null ? cored : moved(cored, id, begins), mark: null };
}

/** A script with one more motion, the middle of whose core is at a time. */
export function carriedScript(script: Script, { id, motion }: { id: number; motion: string }, middle: number, around: Around): Dragged {
  const element = around.elements.get(motion);
  if (!element) return { script, mark: null };
  const { fps, frames } = element;
  const [first, stop] = script.cores[motion] ?? element.core;
  const size = { ahead: first / fps, rest: (frames - first) / fps };
  const { at, mark } = placed(middle - (stop - first) / fps / 2, id, size, around);
  return { script: added(script, motion, at, id), mark };
}
