import { describe, expect, it } from "vitest";
import { framesOf } from "../src/arranged";
import { begins } from "../src/element_drag";
import { inWords } from "../src/live_sequence";
import { resampled } from "../src/sequence_inspector";
import { carriedScript, draggedScript, type Around } from "../src/timeline_drag";
import { actionOf, stepOf } from "../src/sequence_keys";
import { inkOn } from "../src/timeline_lanes";
import {
  added,
  asSoonAsPossible,
  blocksOf,
  bounded,
  chosenElements,
  draggedCore,
  fitted,
  History,
  hit,
  joinOf,
  moved,
  placeFor,
  removed,
  scriptOf,
  snapped,
  stretches,
  ticks,
  tidy,
  toldOf,
  withCore,
  withPriority,
  withSmoothness,
  zoomed,
  type Arranged,
  type Block,
} from "../src/timeline_model";
import type { ArrangedView, ElementView, JoinView } from "../src/wire";

const ELEMENT: ElementView = { name: "jab", clip: "take", frames: 60, fps: 30, core: [15, 30], tags: ["punch"] };
const ELEMENTS = new Map([
  ["jab", ELEMENT],
  ["hook", { ...ELEMENT, name: "hook", tags: [] }],
]);
const TOLD = {
  name: "fight",
  motions: [
    { motion: "jab", at: 1, priority: 0, smoothness: null },
    { motion: "hook", at: 3, priority: 0, smoothness: 0.2 },
  ],
  smoothness: 0.5,
  method: "optimal" as const,
  cores: [],
};
const JOIN: JoinView = {
  previous: 0,
  following: 1,
  method: "transition",
  because: "right foot moves in both",
  segments: [
    { name: "S1", half: "lower", kind: "motion-to-motion", begin: 1.2, end: 1.8, weights: [0, 0.5, 1], limited: false },
    { name: "S2", half: "upper", kind: "motion-to-motion", begin: 1.3, end: 1.5, weights: [0, 1], limited: false },
    { name: "S0", half: "lower", kind: "foothold kept", begin: 0, end: 9, weights: [], limited: false },
  ],
  slip_before: 0.01,
  slip_after: 0.001,
  foothold: [0, 0],
  turned: 0,
  smoothness: 0.2,
  lost: [],
};
const VIEW = {
  number: 1,
  base: 0,
  word: "sequence:1",
  name: "fight",
  body: "b",
  fps: 30,
  frames: 4,
  first_frame: 15,
  names: ["hips", "head"],
  roles: {},
  contacts: {},
  seams: [],
  origin: [],
  sources: [],
  poses: [[0, 4]],
  places: [],
  placed: [
    { number: 0, motion: "jab", begin: 0.5, core: [1, 1.5], end: 2.5 },
    { number: 1, motion: "hook", begin: 2.5, core: [3, 3.5], end: 4.5 },
  ],
  joins: [JOIN],
  rejected: [],
  feet: {},
} as unknown as ArrangedView;

function block(id: number, core: [number, number], change: Partial<Block> = {}): Block {
  return { id, motion: "jab", begin: core[0] - 0.5, core, end: core[1] + 1, reason: "", nearest: core[0], ...change };
}

describe("edits of a sequence", () => {
  const script = scriptOf(TOLD);
  const [first, second] = script.motions.map((one) => one.id);
  it("leave the script that they were made of as it was", () => {
    const later = moved(script, second, 4.00049);
    expect(later.motions[1].at).toBe(4);
    expect(script.motions[1].at).toBe(3);
    expect(removed(script, first).motions).toHaveLength(1);
    expect(added(script, "jab", 6).motions.map((one) => one.motion)).toEqual(["jab", "hook", "jab"]);
    expect(withPriority(script, first, 2).motions[0].priority).toBe(2);
  });
  it("keep times within what the server takes", () => {
    expect([tidy(-3), tidy(1.23456), tidy(9999)]).toEqual([0, 1.235, 3600]);
  });
  it("set W of one pair or of all", () => {
    expect(withSmoothness(script, first, 0.8).motions[0].smoothness).toBe(0.8);
    expect(withSmoothness(script, null, 0.1).smoothness).toBe(0.1);
    expect(withSmoothness(script, second, null).motions[1].smoothness).toBeNull();
  });
  it("are told with the core of every motion that is played", () => {
    const known = new Map([["jab", [15, 30] as const]]);
    expect(toldOf(script, known).cores).toEqual([{ motion: "jab", start: 15, stop: 30 }]);
    expect(toldOf(withCore(script, "jab", [10, 20]), known).cores).toEqual([{ motion: "jab", start: 10, stop: 20 }]);
    expect(toldOf(script, known).motions).toEqual(TOLD.motions);
  });
  it("put a motion behind the one before it in time where it comes as soon as possible", () => {
    const three = added(script, "jab", 2);
    const middle = three.motions[2].id;
    const blocks = blocksOf(three, null, ELEMENTS);
    const soon = asSoonAsPossible(three, middle, blocks);
    expect(soon.motions.map((one) => one.id)).toEqual([first, middle, second]);
    expect(soon.motions[1].at).toBeNull();
  });
});

describe("undo", () => {
  it("goes back and forth, and an edit ends what could be done again", () => {
    const history = new History("a");
    history.push("b");
    history.push("c");
    expect([history.undo(), history.undo(), history.undo()]).toEqual(["b", "a", "a"]);
    expect(history.redo()).toBe("b");
    history.push("d");
    expect([history.canRedo, history.redo(), history.undo()]).toEqual([false, "d", "b"]);
  });
  it("takes edits of one key in a row as one", () => {
    const history = new History(0);
    for (const state of [1, 2, 3]) history.push(state, "nudge 7");
    history.push(4, "nudge 8");
    expect([history.undo(), history.undo(), history.canUndo]).toEqual([3, 0, false]);
  });
  it("rewrites every state where something cannot be undone", () => {
    const history = new History(1);
    history.push(2);
    history.push(3);
    history.undo();
    history.rewrite((state) => 10 * state);
    expect([history.now, history.redo(), history.undo(), history.undo()]).toEqual([20, 30, 20, 10]);
  });
  it("forgets the oldest, and ignores what changes nothing", () => {
    const history = new History(0, 2);
    for (const state of [1, 2, 3, 3]) history.push(state);
    expect([history.undo(), history.undo(), history.canUndo]).toEqual([2, 1, false]);
  });
});

describe("motions on the clock", () => {
  const script = scriptOf(TOLD);
  const made: Arranged = { script, view: VIEW };
  it("lie where they were made, and where they are dragged before that is made", () => {
    expect(blocksOf(script, made, ELEMENTS).map((one) => one.begin)).toEqual([0.5, 2.5]);
    const dragged = moved(script, script.motions[1].id, 3.4);
    expect(blocksOf(dragged, made, ELEMENTS)[1]).toMatchObject({ begin: 2.9, core: [3.4, 3.9], end: 4.9 });
  });
  it("are there before anything is made, and change order as they pass each other", () => {
    const passed = moved(script, script.motions[0].id, 8);
    expect(blocksOf(passed, null, ELEMENTS).map((one) => [one.motion, one.begin])).toEqual([["hook", 2.5], ["jab", 7.5]]);
  });
  it("take a core that was set", () => {
    const cored = withCore(script, "jab", [20, 40]);
    expect(blocksOf(cored, made, ELEMENTS)[0].begin).toBeCloseTo(1 - 20 / 30);
    expect(blocksOf(cored, made, ELEMENTS)[0].core[1]).toBeCloseTo(1 + 20 / 30);
  });
  it("say why they are rejected", () => {
    const rejected = [{ number: 1, motion: "hook", at: 3, reason: "its core is in the way", nearest: 4 }];
    const view = { ...VIEW, placed: VIEW.placed.slice(0, 1), joins: [], rejected } as ArrangedView;
    expect(blocksOf(script, { script, view }, ELEMENTS)[1]).toMatchObject({ reason: "its core is in the way", nearest: 4 });
  });
  it("know how they are joined", () => {
    expect(joinOf(made, script.motions[1].id)?.method).toBe("transition");
    expect(joinOf(made, script.motions[0].id)).toBeUndefined();
  });
  it("make lanes of both halves without the footholds that are kept", () => {
    expect(stretches(VIEW, "lower").map(({ from, to, next }) => [from, to, next])).toEqual([
      [0.5, 1.7, ""],
      [1.7, 2.3, "hook"],
      [2.3, 4.5, ""],
    ]);
    expect(stretches(VIEW, "upper")[1]).toMatchObject({ from: 1.8, to: 2, weights: [0, 1] });
    expect(stretches({ ...VIEW, placed: [], joins: [] }, "upper")).toEqual([]);
  });
});

describe("under the pointer", () => {
  const blocks = [block(1, [1, 1.5]), block(2, [2.4, 2.8]), block(3, [9, 9.5], { reason: "no" })];
  it("is the motion whose core is nearest", () => {
    expect(hit(blocks, 1.95, 0.05, null)).toEqual({ id: 1, part: "body" });
    expect(hit(blocks, 2.2, 0.05, null)).toEqual({ id: 2, part: "body" });
    expect(hit(blocks, 6, 0.05, null)).toBeNull();
  });
  it("are the handles of the chosen core", () => {
    expect(hit(blocks, 1.03, 0.05, 1)?.part).toBe("core-begin");
    expect(hit(blocks, 1.25, 0.5, 1)?.part).toBe("body");
    expect(hit(blocks, 1.47, 0.05, 1)?.part).toBe("core-end");
    expect(hit(blocks, 1.03, 0.05, 2)).toEqual({ id: 1, part: "body" });
    expect(hit(blocks, 9, 0.05, 3)).toEqual({ id: 3, part: "body" });
  });
  it("snaps to what is near enough", () => {
    expect([snapped(1.04, [1, 2], 0.05), snapped(1.2, [1, 2], 0.05), snapped(1.98, [1, 2], 0.05)]).toEqual([1, 1.2, 2]);
  });
  it("drags a core's end within its motion, and leaves a frame", () => {
    const about = { begin: 0.5, fps: 30, frames: 60 };
    expect(draggedCore([15, 30], "core-begin", { at: 0.8, ...about })).toEqual([9, 30]);
    expect(draggedCore([15, 30], "core-begin", { at: 5, ...about })).toEqual([29, 30]);
    expect(draggedCore([15, 30], "core-end", { at: 9, ...about })).toEqual([15, 60]);
    expect(draggedCore([15, 30], "core-end", { at: 0, ...about })).toEqual([15, 16]);
  });
  it("finds a place where no core is in the way", () => {
    expect(placeFor([], ELEMENT, null)).toBe(0.5);
    expect(placeFor(blocks, ELEMENT, null)).toBeCloseTo(2.8 + 1 - 0.6 + 0.5);
    const crowded = [block(1, [1, 1.5]), block(2, [2.2, 2.6]), block(3, [3, 3.4])];
    expect(placeFor(crowded, ELEMENT, 1)).toBeCloseTo(3.65);
  });
});

describe("the scale of time", () => {
  it("fits, zooms about a place and stays where something is", () => {
    const scale = fitted(0, 10, 1040);
    expect(scale.pixels).toBeCloseTo(100);
    const near = zoomed(scale, 2, 520);
    expect(near.from + 520 / near.pixels).toBeCloseTo(scale.from + 520 / scale.pixels);
    expect(bounded({ from: -99, pixels: 100 }, 0, 10, 1000).from).toBeCloseTo(-0.5);
    expect(bounded({ from: 99, pixels: 100 }, 0, 10, 1000).from).toBeCloseTo(3);
  });
  it("has marks that do not crowd", () => {
    expect(ticks({ from: 0, pixels: 100 }, 320).map((one) => one.text)).toEqual(["0 s", "1 s", "2 s", "3 s"]);
    expect(ticks({ from: 58, pixels: 40 }, 200).map((one) => one.text)).toEqual(["58 s", "1:00", "1:02"]);
    expect(ticks({ from: -1, pixels: 800 }, 900).every((one) => one.at >= 0)).toBe(true);
  });
});

describe("frames of an edit", () => {
  const size = 11;
  const bytes = (view: Partial<ArrangedView>, arrays: Record<string, number[][]>): ArrayBuffer => {
    const shapes = Object.fromEntries(Object.entries(arrays).map(([name, rows]) => [name, [rows.length, rows[0]?.length ?? 0]]));
    let text = JSON.stringify({ ...VIEW, ...view, arrays: shapes });
    text += " ".repeat((4 - (text.length % 4)) % 4);
    const numbers = Float32Array.from(Object.values(arrays).flat(2));
    const out = new Uint8Array(4 + text.length + 4 * numbers.length);
    new DataView(out.buffer).setUint32(0, text.length, true);
    out.set(new TextEncoder().encode(text), 4);
    out.set(new Uint8Array(numbers.buffer), 4 + text.length);
    return out.buffer;
  };
  const row = (value: number, width = size): number[] => Array<number>(width).fill(value);
  const whole = framesOf(bytes({}, { poses: [row(0), row(1), row(2), row(3)], places: [] }), null);
  it("are laid into those that are there, whole or as places", () => {
    const edit = { number: 2, base: 1, first_frame: 16, frames: 4, poses: [[3, 4]], places: [[1, 2]] } as unknown as Partial<ArrangedView>;
    const made = framesOf(bytes(edit, { poses: [row(9)], places: [row(7, 7)] }), whole);
    const first = [0, 1, 2, 3].map((frame) => made.loaded.motion.poses[frame * size]);
    expect(first).toEqual([1, 7, 3, 9]);
    expect(made.loaded.motion.poses[size + 7]).toBe(2);
    expect(whole.loaded.motion.poses[0]).toBe(0);
  });
  it("are refused where the page has not what they change", () => {
    expect(() => framesOf(bytes({ base: 5 }, { poses: [], places: [] }), whole)).toThrow("not here");
    expect(() => framesOf(bytes({ base: 5 }, { poses: [], places: [] }), null)).toThrow("not here");
  });
});

describe("the tab's words", () => {
  it("say what became of what a live player was asked", () => {
    const answer = { command: "play", motion: "jab", seconds: 1, outcome: "planned", reason: "", method: "transition", begins_at: 2.34, latency: 0.05 } as const;
    expect(inWords(answer)).toBe("transition, core at 2.3 s, shows after 50 ms");
    expect(inWords({ ...answer, outcome: "rejected", reason: "it overlaps" })).toBe("rejected: it overlaps; 2.3 s would do");
    expect(inWords({ ...answer, outcome: "waiting" })).toBe("waits for 2.3 s");
    expect(inWords({ ...answer, command: "withdraw", outcome: "rejected", reason: "it has begun", begins_at: null })).toBe("not withdrawn: it has begun");
  });
  it("finds elements by name, clip and tag", () => {
    const all = [...ELEMENTS.values()];
    expect(chosenElements(all, "take ja", "").map((one) => one.name)).toEqual(["jab"]);
    expect(chosenElements(all, "", "punch").map((one) => one.name)).toEqual(["jab"]);
  });
  it("draws a weight curve over a stretch that holds it", () => {
    const values = resampled({ begin: 1, end: 2, weights: [0, 1] }, 0, 4);
    expect([values[0], values[95]]).toEqual([0, 1]);
    expect(values[Math.round(95 * 0.375)]).toBeCloseTo(0.5, 1);
  });
  it("writes dark on light colours and light on dark ones", () => {
    expect([inkOn("#e6a817"), inkOn("#6a51a3"), inkOn("hsl(40 50% 58%)"), inkOn("hsl(40 50% 42%)")]).toEqual(["#12151a", "#ffffff", "#12151a", "#ffffff"]);
  });
});

describe("a motion of the list that is carried onto the timeline", () => {
  const script = scriptOf(TOLD);
  const around: Around = { blocks: blocksOf(script, null, ELEMENTS), elements: ELEMENTS, clock: 5.3, pixels: 100, free: false };
  const held = { id: 99, motion: "jab" };
  it("has the middle of its core under the pointer", () => {
    const { script: next, mark } = carriedScript(script, held, 10.25, around);
    expect(next.motions.at(-1)).toEqual({ id: 99, motion: "jab", at: 10, priority: 0, smoothness: null });
    expect(mark).toBeNull();
    expect(script.motions).toHaveLength(2);
  });
  it("snaps to the playhead, unless it is free", () => {
    expect(carriedScript(script, held, 5.51, around)).toMatchObject({ mark: 5.3, script: { motions: [{}, {}, { at: 5.3 }] } });
    expect(carriedScript(script, held, 5.51, { ...around, free: true })).toMatchObject({ mark: null, script: { motions: [{}, {}, { at: 5.26 }] } });
  });
  it("does not snap to itself, and stays where it is when it is carried on", () => {
    const there = carriedScript(script, held, 10.25, around).script;
    const later = { ...around, blocks: blocksOf(there, null, ELEMENTS) };
    expect(carriedScript(script, held, 10.27, later).script.motions.at(-1)?.at).toBe(10.02);
  });
  it("is one step of undo", () => {
    const history = new History(script);
    history.push(carriedScript(script, held, 10, around).script);
    expect(history.undo()).toBe(script);
    expect(history.redo().motions).toHaveLength(3);
  });
  it("is no motion without one of that name", () => {
    expect(carriedScript(script, { id: 99, motion: "none" }, 10, around).script).toBe(script);
  });
  it("begins after some pixels; a finger that goes down scrolls the list", () => {
    expect([begins(3, 3, false), begins(0, 9, false), begins(0, 9, true), begins(9, 2, true)]).toEqual([false, true, false, true]);
  });
});

describe("a drag on the timeline", () => {
  const script = scriptOf(TOLD);
  const blocks = blocksOf(script, null, ELEMENTS);
  const around: Around = { blocks, elements: ELEMENTS, clock: 0, pixels: 100, free: false };
  it("moves a motion, which snaps to where another ends", () => {
    const [first, second] = blocks;
    const grasp = { id: second.id, part: "body" as const, block: second, script };
    const meets = first.end + (second.core[0] - second.begin);
    const { script: next, mark } = draggedScript(grasp, meets + 0.03 - second.core[0], around);
    expect(next.motions[1].at).toBeCloseTo(meets);
    expect(mark).toBeCloseTo(meets);
  });
  it("sets an end of a core, and the motion stays where it is", () => {
    const [first] = blocks;
    const { script: next } = draggedScript({ id: first.id, part: "core-begin", block: first, script }, 0.2, around);
    expect(next.cores["jab"]).toEqual([21, 30]);
    expect(next.motions[0].at).toBeCloseTo(first.begin + 21 / 30);
  });
});

describe("keys of the timeline", () => {
  const pressed = (key: string, held: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, target: null, ...held });
  it("undo, do again and place once more with Ctrl or Cmd", () => {
    expect([actionOf(pressed("z", { ctrlKey: true })), actionOf(pressed("Z", { metaKey: true, shiftKey: true })), actionOf(pressed("y", { ctrlKey: true }))]).toEqual(["undo", "redo", "redo"]);
    expect(actionOf(pressed("d", { ctrlKey: true }))).toBe("again");
  });
  it("zoom and remove without, and leave other keys to the page", () => {
    expect(["z", "-", "Delete", " "].map((key) => actionOf(pressed(key)))).toEqual(["all", "farther", "remove", null]);
  });
  it("move the chosen motion with Alt from anywhere, ten frames with Shift", () => {
    expect([stepOf(pressed("ArrowLeft", { altKey: true })), stepOf(pressed("ArrowRight", { altKey: true, shiftKey: true })), stepOf(pressed("a", { altKey: true }))]).toEqual([-1, 10, 0]);
  });
});
