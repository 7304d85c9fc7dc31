/** The model of an arranged sequence, independent of the DOM: edits, undo, snapping, hit tests, the scale of time. */

import type { ArrangedScript, ArrangedView, ElementView, JoinView, SegmentView } from "./wire";

/** One motion of the sequence; `id` is unchanged by moves, undo and redo. */
export interface Placing {
  readonly id: number;
  readonly motion: string;
  readonly at: number | null;
  readonly priority: number;
  readonly smoothness: number | null;
}

export interface Script {
  readonly name: string;
  readonly motions: readonly Placing[];
  readonly smoothness: number;
  readonly method: ArrangedScript["method"];
  /** Cores set by the user, in frames of their motions. */
  readonly cores: Readonly<Record<string, readonly [number, number]>>;
}

export const LATEST = 3600; // maximum begin of a core, in seconds
const OVERLAP = 0.6; // seconds by which an added motion overlaps the end of the previous one
const APART = 0.25; // minimum gap between cores, in seconds, where a motion is added
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600] as const;

let last = 0;

/** Return a number that no placing has. */
export function freshId(): number {
  return ++last;
}

export function scriptOf(told: ArrangedScript): Script {
  const motions = told.motions.map((one) => ({ id: freshId(), ...one }));
  const cores = Object.fromEntries(told.cores.map((one) => [one.motion, [one.start, one.stop] as const]));
  return { name: told.name, motions, smoothness: told.smoothness, method: told.method, cores };
}

/** Convert a script to the form of the server, with the known cores of its motions. */
export function toldOf(script: Script, known: ReadonlyMap<string, readonly [number, number]>): ArrangedScript {
  const names = [...new Set(script.motions.map((one) => one.motion))];
  const cores = names.flatMap((motion) => {
    const core = script.cores[motion] ?? known.get(motion);
    return core ? [{ motion, start: core[0], stop: core[1] }] : [];
  });
  const motions = script.motions.map(({ motion, at, priority, smoothness }) => ({ motion, at, priority, smoothness }));
  return { name: script.name, motions, smoothness: script.smoothness, method: script.method, cores };
}

/** Undo history; consecutive pushes with the same key are one step. */
export class History<T> {
  private past: T[] = [];
  private future: T[] = [];
  private key = "";

  constructor(
    public now: T,
    private readonly most = 200,
  ) {}

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  push(state: T, key = ""): void {
    if (state === this.now) return;
    if (!key || key !== this.key) {
      this.past.push(this.now);
      if (this.past.length > this.most) this.past.shift();
    }
    this.key = key;
    this.now = state;
    this.future = [];
  }

  /** Apply a change that cannot be undone to every state. */
  rewrite(change: (state: T) => T): void {
    this.past = this.past.map(change);
    this.future = this.future.map(change);
    this.now = change(this.now);
  }

  undo(): T {
    const before = this.past.pop();
    if (before === undefined) return this.now;
    this.future.push(this.now);
    this.now = before;
    this.key = "";
    return before;
  }

  redo(): T {
    const after = this.future.pop();
    if (after === undefined) return this.now;
    this.past.push(this.now);
    this.now = after;
    this.key = "";
    return after;
  }
}

// ---- edits

function changed(script: Script, id: number, change: Partial<Placing>): Script {
  return { ...script, motions: script.motions.map((one) => (one.id === id ? { ...one, ...change } : one)) };
}

/** Clip a time at 0 and round it to a thousandth of a second. */
export function tidy(seconds: number): number {
  return Math.min(Math.max(Math.round(seconds * 1000) / 1000, 0), LATEST);
}

export function moved(script: Script, id: number, at: number): Script {
  return changed(script, id, { at: tidy(at) });
}

export function added(script: Script, motion: string, at: number, id = freshId()): Script {
  return { ...script, motions: [...script.motions, { id, motion, at: tidy(at), priority: 0, smoothness: null }] };
}

export function removed(script: Script, id: number): Script {
  return { ...script, motions: script.motions.filter((one) => one.id !== id) };
}

/** Set W of the pair that ends in motion `id`, or of the complete sequence where `id` is null; the value null selects the sequence's W. */
export function withSmoothness(script: Script, id: number | null, value: number | null): Script {
  if (id === null) return { ...script, smoothness: value ?? script.smoothness };
  return changed(script, id, { smoothness: value });
}

export function withPriority(script: Script, id: number, priority: number): Script {
  return changed(script, id, { priority });
}

export function withCore(script: Script, motion: string, core: readonly [number, number]): Script {
  return { ...script, cores: { ...script.cores, [motion]: core } };
}

/** Make a motion begin as soon as possible after the previous one in time. */
export function asSoonAsPossible(script: Script, id: number, blocks: readonly Block[]): Script {
  const begins = new Map(blocks.map((block) => [block.id, block.core[0]]));
  const order = [...script.motions].sort((one, other) => (begins.get(one.id) ?? 0) - (begins.get(other.id) ?? 0));
  return changed({ ...script, motions: order }, id, { at: null });
}

/** Filter elementary motions by a search and a tag. */
export function chosenElements(elements: readonly ElementView[], search: string, tag: string): ElementView[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return elements.filter((one) => {
    if (tag && !one.tags.includes(tag)) return false;
    const text = [one.name, one.clip, ...one.tags].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

// ---- blocks and blends to draw

/** A motion with its times in the sequence. */
export interface Block {
  readonly id: number;
  readonly motion: string;
  readonly begin: number;
  readonly core: readonly [number, number];
  readonly end: number;
  /** Reason why it is not executed; empty if it is. */
  readonly reason: string;
  readonly nearest: number;
}

/** A rendered sequence with its script. */
export interface Arranged {
  readonly script: Script;
  readonly view: ArrangedView;
}

/** Return the motions in the order of time: as rendered, or shifted to their place in the current drag. */
export function blocksOf(script: Script, made: Arranged | null, elements: ReadonlyMap<string, ElementView>): Block[] {
  const placed = new Map(made?.view.placed.map((one) => [made.script.motions[one.number]?.id, one]));
  const lost = new Map(made?.view.rejected.map((one) => [made.script.motions[one.number]?.id, one]));
  const out: Block[] = [];
  for (const one of script.motions) {
    const element = elements.get(one.motion);
    const there = placed.get(one.id);
    const rejected = lost.get(one.id);
    const core = script.cores[one.motion] ?? element?.core ?? [0, 0];
    const fps = element?.fps ?? 30;
    const begins = one.at ?? there?.core[0] ?? rejected?.at ?? 0;
    const same = there && made?.script.cores[one.motion] === script.cores[one.motion];
    const ahead = same ? there.core[0] - there.begin : core[0] / fps;
    const lasts = same ? there.core[1] - there.core[0] : (core[1] - core[0]) / fps;
    const whole = same ? there.end - there.begin : (element?.frames ?? fps) / fps;
    out.push({
      id: one.id,
      motion: one.motion,
      begin: begins - ahead,
      core: [begins, begins + lasts],
      end: begins - ahead + whole,
      reason: rejected?.reason ?? "",
      nearest: rejected?.nearest ?? begins,
    });
  }
  return out.sort((one, other) => one.core[0] - other.core[0] || one.id - other.id);
}

/** Return the join of a motion with the previous one. */
export function joinOf(made: Arranged | null, id: number): JoinView | undefined {
  return made?.view.joins.find((join) => made.script.motions[join.following]?.id === id);
}

/** A section of the lane of one half of the body: one motion alone, or two during a blend. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly motion: string;
  readonly next: string;
  readonly weights: readonly number[];
}

/** Return the sections of one half of the body, from the first motion to the last. */
export function stretches(view: ArrangedView, half: "lower" | "upper"): Stretch[] {
  const out: Stretch[] = [];
  const placed = new Map(view.placed.map((one) => [one.number, one]));
  let from = view.placed[0]?.begin ?? 0;
  for (const join of view.joins) {
    const [before, after] = [placed.get(join.previous), placed.get(join.following)];
    const segment = blendOf(join, half);
    if (!before || !after || !segment) continue;
    const [begin, end] = [before.begin + segment.begin, before.begin + segment.end];
    if (begin > from) out.push({ from, to: begin, motion: before.motion, next: "", weights: [] });
    out.push({ from: begin, to: end, motion: before.motion, next: after.motion, weights: segment.weights });
    from = end;
  }
  const final = view.placed.at(-1);
  if (final && final.end > from) out.push({ from, to: final.end, motion: final.motion, next: "", weights: [] });
  return out;
}

/** Return the blend of one half of the body; a kept foothold is not a blend. */
export function blendOf(join: JoinView, half: "lower" | "upper"): SegmentView | undefined {
  const blends = join.segments.filter((one) => one.kind !== "foothold kept");
  return blends.find((one) => one.half === half) ?? blends.find((one) => one.half === "whole");
}

// ---- hit tests and drags

export type Part = "body" | "core-begin" | "core-end";

/** Return the part at a time: handles of the selected motion's core first, else the motion whose core is nearest. */
export function hit(blocks: readonly Block[], at: number, reach: number, chosen: number | null): { id: number; part: Part } | null {
  const mine = blocks.find((block) => block.id === chosen);
  if (mine && !mine.reason) {
    // The handles of a short core leave space between them to grab the motion.
    const inside = Math.min(reach, (mine.core[1] - mine.core[0]) / 4);
    const [early, late] = [at - mine.core[0], mine.core[1] - at];
    if (early >= -reach && early <= inside) return { id: mine.id, part: "core-begin" };
    if (late >= -reach && late <= inside) return { id: mine.id, part: "core-end" };
  }
  const under = blocks.filter((block) => at >= block.begin && at <= block.end);
  const away = (block: Block): number => Math.max(block.core[0] - at, at - block.core[1], 0);
  under.sort((one, other) => away(one) - away(other) || (one.id === chosen ? -1 : other.id === chosen ? 1 : 0));
  return under.length ? { id: under[0].id, part: "body" } : null;
}

/** Return the nearest mark within `reach`, else the time itself. */
export function snapped(at: number, marks: readonly number[], reach: number): number {
  let best = at;
  let least = reach;
  for (const mark of marks) {
    const away = Math.abs(mark - at);
    if (away < least) [best, least] = [mark, away];
  }
  return best;
}

/** Drag one end of a core to a time; the core keeps at least one frame and stays within its motion. */
export function draggedCore(
  core: readonly [number, number],
  part: Part,
  { at, begin, fps, frames }: { at: number; begin: number; fps: number; frames: number },
): [number, number] {
  const frame = Math.round((at - begin) * fps);
  if (part === "core-begin") return [Math.min(Math.max(frame, 0), core[1] - 1), core[1]];
  return [core[0], Math.min(Math.max(frame, core[0] + 1), frames)];
}

/** Return the begin of the core of a motion added after another (the last by default): overlapping its end, but no other core. */
export function placeFor(blocks: readonly Block[], element: ElementView, after: number | null): number {
  const [first, stop] = [element.core[0] / element.fps, element.core[1] / element.fps];
  const done = blocks.filter((block) => !block.reason);
  const anchor = done.find((block) => block.id === after) ?? done.at(-1);
  if (!anchor) return tidy(first);
  let at = Math.max(anchor.end - OVERLAP + first, anchor.core[1] + APART);
  for (const block of done) {
    if (at < block.core[1] + APART && at + (stop - first) > block.core[0] - APART) at = block.core[1] + APART;
  }
  return tidy(at);
}

// ---- the scale of time

/** The range of time shown: its first second, and pixels a second. */
export interface Scale {
  readonly from: number;
  readonly pixels: number;
}

/** Return a scale that fits a time range into a width. */
export function fitted(from: number, to: number, width: number): Scale {
  const room = Math.max(to - from, 1);
  return { from: from - 0.02 * room, pixels: Math.max(width, 50) / (1.04 * room) };
}

/** Zoom about a fixed place. */
export function zoomed(scale: Scale, factor: number, x: number): Scale {
  const pixels = Math.min(Math.max(scale.pixels * factor, 2), 1200);
  const at = scale.from + x / scale.pixels;
  return { from: at - x / pixels, pixels };
}

/** Return a scale moved so that it does not leave the content. */
export function bounded(scale: Scale, from: number, to: number, width: number): Scale {
  const shown = width / scale.pixels;
  const least = from - 0.05 * shown;
  const most = Math.max(to - 0.7 * shown, least);
  return { ...scale, from: Math.min(Math.max(scale.from, least), most) };
}

/** Return the marks of the ruler, with their labels. */
export function ticks(scale: Scale, width: number): { at: number; text: string }[] {
  const step = STEPS.find((one) => one * scale.pixels >= 64) ?? 600;
  const out: { at: number; text: string }[] = [];
  const end = scale.from + width / scale.pixels;
  for (let k = Math.ceil(scale.from / step - 1e-9); k * step <= end; k++) {
    const at = Math.round(k * step * 10) / 10;
    if (at >= 0) out.push({ at, text: at >= 60 ? `${Math.floor(at / 60)}:${String(Math.round(at % 60)).padStart(2, "0")}` : `${at} s` });
  }
  return out;
}
