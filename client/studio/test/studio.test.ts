import { describe, expect, it } from "vitest";
import { WorldPose } from "../../stage/src/index";
import { endMoved, merged, spanBetween } from "../src/contacts";
import { clipped, spot } from "../src/crossing_details";
import { capital, clock, counted, digits, sentence } from "../src/dom";
import { gaitColour, pathFrom } from "../src/drawn_path";
import { Edits } from "../src/edits";
import { fileName } from "../src/export_menu";
import { Pad } from "../src/gamepad";
import { ring } from "../src/graph_tab";
import { greyLevels, kept, nearestIndex, scaleOf, zoomed } from "../src/matrix";
import { livePose, motionOf, unpack } from "../src/packed";
import { smoothed, thinned, times } from "../src/pick";
import { usualTop } from "../src/plot";
import { pauseBefore } from "../src/socket";
import { lay } from "../src/stage_view";
import { byMotion, progressWords } from "../src/study_tab";
import { gaits, sameWish, stickOf, wishOf } from "../src/steering";
import { chosenClips, tagCounts, workOf, FRESH } from "../src/store";
import { seamLoop, toggleLoop } from "../src/transport";
import type { ClipCard } from "../src/wire";

/** Pack as segue.studio.packing does. */
function packed(head: object, arrays: Record<string, number[][]>): ArrayBuffer {
  const shapes = Object.fromEntries(Object.entries(arrays).map(([name, rows]) => [name, [rows.length, rows[0].length]]));
  let text = JSON.stringify({ ...head, arrays: shapes });
  text += " ".repeat((4 - (text.length % 4)) % 4);
  const numbers = Float32Array.from(Object.values(arrays).flat(2));
  const out = new Uint8Array(4 + text.length + 4 * numbers.length);
  new DataView(out.buffer).setUint32(0, text.length, true);
  out.set(new TextEncoder().encode(text), 4);
  out.set(new Uint8Array(numbers.buffer), 4 + text.length);
  return out.buffer;
}

const CLIP: ClipCard = { name: "walk", seconds: 1, frames: 30, fps: 30, tags: ["walk"], labels: ["stride"], faulty_frames: 0, problem: "" };

describe("decoding", () => {
  it("gives back header and arrays", () => {
    const { head, arrays } = unpack<{ name: string }>(packed({ name: "u" }, { poses: [[1, 2.5]] }));
    expect(head.name).toBe("u");
    expect([...arrays["poses"]]).toEqual([1, 2.5]);
  });
  it("refuses what is cut short", () => {
    const whole = packed({}, { poses: [[1, 2, 3]] });
    expect(() => unpack(whole.slice(0, whole.byteLength - 4))).toThrow("cut short");
    expect(() => unpack(new Uint8Array([255, 0, 0, 0]).buffer)).toThrow("header");
  });
  it("reads a motion and a live pose", () => {
    const bytes = packed({ fps: 30, frames: 2, names: ["hips"] }, { poses: [[0, 1, 0, 1, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0]] });
    expect(motionOf("clip:x", bytes).motion).toMatchObject({ fps: 30, frames: 2, joints: 1 });
    const pose = livePose(Float32Array.from([5, 2, 0.5, 1, 9, 8, 7]).buffer);
    expect([pose.number, pose.steered, pose.source, pose.pose[0]]).toEqual([5, 2, 1, 9]);
  });
});

describe("the stage's poses", () => {
  it("lays a pose on the ground as a turn and a shift do", () => {
    const skeleton = { names: ["hips", "head"], parents: [-1, 0], offsets: [0, 0, 0, 0.1, 0.5, 0.3] };
    const pose = Float32Array.from([1, 1, 2, 1, 0, 0, 0, 1, 0, 0, 0]);
    const before = new WorldPose(skeleton);
    before.set(pose);
    const [x, y, z] = before.positions.slice(3);
    const placed = { turn: 0.7, x: 3, z: -1 };
    lay(pose, placed);
    const after = new WorldPose(skeleton);
    after.set(pose);
    const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
    const wanted = [c * x + s * z + 3, y, -s * x + c * z - 1];
    wanted.forEach((value, k) => expect(after.positions[3 + k]).toBeCloseTo(value, 5));
  });
});

describe("the cost matrix", () => {
  it("is black where costs are least and white where they are most", () => {
    expect([...greyLevels(Float32Array.from([2, 4, 3]), 2, 4)]).toEqual([0, 255, 128]);
  });
  it("finds the nearest frame", () => {
    expect([-5, 0, 4, 6, 99].map((frame) => nearestIndex([0, 5, 10], frame))).toEqual([0, 0, 1, 1, 2]);
  });
  it("keeps the cell under the pointer while it zooms, and stays inside", () => {
    const [size, image]: [[number, number], [number, number]] = [[300, 150], [600, 200]];
    const before = { left: 120, top: 40, zoom: 2 };
    const after = zoomed(before, 1.5, [100, 50], size, image);
    const cell = (window: typeof before): number => window.left + 100 * scaleOf(window.zoom, size, image)[0];
    expect(cell(after)).toBeCloseTo(cell(before));
    expect(kept({ left: 900, top: -5, zoom: 2 }, image)).toEqual({ left: 300, top: 0, zoom: 2 });
    expect(zoomed(before, 0.01, [0, 0], size, image)).toEqual({ left: 0, top: 0, zoom: 1 });
  });
});

describe("the list of clips", () => {
  const clips = [CLIP, { ...CLIP, name: "run_left", tags: ["run"], labels: [] }];
  it("is searched by every word and by tag", () => {
    expect(chosenClips(clips, "STRI walk", "").map((clip) => clip.name)).toEqual(["walk"]);
    expect(chosenClips(clips, "", "run").map((clip) => clip.name)).toEqual(["run_left"]);
    expect(chosenClips(clips, "<b>", "")).toEqual([]);
  });
  it("counts tags and labels", () => {
    expect(tagCounts(clips)).toEqual([["run", 1], ["stride", 1], ["walk", 1]]);
  });
});

describe("stored work", () => {
  it("comes back, and what is not understood is fresh", () => {
    expect(workOf(JSON.stringify({ tab: "steer", speed: "fast", frames: [1, 2], more: 1 }))).toEqual({ ...FRESH, tab: "steer", frames: [1, 2] });
    expect(workOf("{")).toEqual(FRESH);
    expect(workOf(null)).toEqual(FRESH);
  });
});

describe("steering", () => {
  const kinds = [
    { name: "stand", slow: 0, fast: 0 },
    { name: "run", slow: 2, fast: 4 },
    { name: "walk", slow: 0.8, fast: 1.6 },
  ];
  it("stands without keys, walks with one, runs with shift", () => {
    const wish = (...keys: string[]): string => {
      const { ahead, left, hurry } = stickOf(new Set(keys));
      const { kind, speed, turn } = wishOf(kinds, ahead, left, hurry);
      return `${kind} ${speed} ${turn}`;
    };
    expect([wish(), wish("w"), wish("w", "shift"), wish("arrowup", "a")]).toEqual(["stand 0 0", "walk 1.2 0", "run 4 0", "walk 1.2 1.4"]);
  });
  it("keeps a chosen type and knows its gaits", () => {
    expect(wishOf(kinds, 0.5, 0, 0, "run").kind).toBe("run");
    expect(gaits([kinds[2]])).toEqual({ stand: null, slow: kinds[2], fast: kinds[2] });
    expect(sameWish({ kind: "walk", speed: 1, turn: 0 }, { kind: "walk", speed: 1, turn: 0.1 })).toBe(false);
  });
});

describe("lines on the floor", () => {
  it("are thinned, and smooth lines keep their ends", () => {
    const line = Array.from({ length: 101 }, (_, k) => [k / 100, 0] as [number, number]);
    const thin = thinned(line, 0.25);
    expect(thin.map(([x]) => x)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    const bent = smoothed([[0, 0], [1, 1], [2, 0]], 1);
    expect(bent).toEqual([[0, 0], [1, 0.5], [2, 0]]);
  });
  it("multiply as matrices do", () => {
    const shift = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1];
    expect(times(shift, [1, 2, 3, 1])).toEqual([6, 8, 10, 1]);
  });
});

describe("small things", () => {
  it("are written as people read them", () => {
    expect([clock(61.5), digits(0.00412), digits(1234.5), digits(NaN)]).toEqual(["01:01.50", "0.00412", "1,230", "–"]);
    expect(fileName("../a/b <c>.x")).toBe("_a_b _c_.x");
  });
  it("wait longer before each try", () => {
    expect([0, 1, 2, 20].map(pauseBefore)).toEqual([500, 1000, 2000, 10000]);
  });
  it("lie on the axis of lengths and loops", () => {
    expect(spot(1 / 30, 1)).toBe(0);
    expect(spot(2, 1)).toBe(1);
    expect(clipped([1 / 30], [3], 0.1)).toEqual([3, 3, 3]);
    expect(seamLoop([30, 60], 30, 2.5)).toEqual([0, 2.5]);
  });
  it("leave a curve readable beside one wild frame", () => {
    const calm = Array.from({ length: 200 }, (_, k) => 1 + (k % 7) / 7);
    expect(usualTop([...calm, 400])).toBeLessThan(5);
    expect(usualTop(calm)).toBeCloseTo(2, 0);
  });
  it("go once round the ring", () => {
    const arcs = ring([10, 30]);
    expect(arcs[1].to - arcs[1].from).toBeCloseTo(3 * (arcs[0].to - arcs[0].from));
    expect(arcs[1].to).toBeLessThan(arcs[0].from + 2 * Math.PI);
  });
});

describe("contacts on the lanes", () => {
  const spans = [
    { text: "left_toe", start: 10, stop: 20 },
    { text: "left_toe", start: 30, stop: 40 },
    { text: "right_toe", start: 15, stop: 18 },
  ];
  it("moves an end, keeps a frame, and joins what touches", () => {
    expect(endMoved(spans, 0, "stop", 5, 100)[0]).toEqual({ text: "left_toe", start: 10, stop: 11 });
    expect(endMoved(spans, 1, "start", -4, 100)[1].start).toBe(0);
    expect(endMoved(spans, 1, "stop", 400, 100)[1].stop).toBe(100);
    expect(merged(endMoved(spans, 0, "stop", 30, 100))).toEqual([{ text: "left_toe", start: 10, stop: 40 }, spans[2]]);
  });
  it("adds between two frames in either order", () => {
    expect(spanBetween("left_heel", 9, 4, 100)).toEqual({ text: "left_heel", start: 4, stop: 9 });
    expect(spanBetween("left_heel", 99, 99, 100)).toEqual({ text: "left_heel", start: 99, stop: 100 });
  });
});

describe("changes that can be undone", () => {
  const on = (list: string[], word: string) => ({
    title: word,
    redo: async () => void list.push(word),
    undo: async () => void list.pop(),
  });
  it("undoes and does again in order, and a new change drops what was undone", async () => {
    const edits = new Edits();
    const list: string[] = [];
    await edits.make(on(list, "a"));
    await edits.make(on(list, "b"));
    await edits.undo();
    expect([list.join(), edits.undoes, edits.redoes]).toEqual(["a", "a", "b"]);
    await edits.redo();
    await edits.undo();
    await edits.make(on(list, "c"));
    await edits.redo();
    expect([list.join(), edits.redoes]).toEqual(["a,c", ""]);
  });
  it("forgets nothing where a change fails", async () => {
    const edits = new Edits();
    const list: string[] = [];
    await edits.make(on(list, "a"));
    const fails = { title: "x", redo: async () => Promise.reject(new Error("no")), undo: async () => undefined };
    await expect(edits.make(fails)).rejects.toThrow("no");
    expect(edits.undoes).toBe("a");
    await edits.undo();
    expect(list).toEqual([]);
  });
});

describe("a drawn path", () => {
  const kinds = [
    { name: "walk", slow: 0.5, fast: 2 },
    { name: "run", slow: 2, fast: 4 },
  ];
  it("begins where the character is and carries type and speed of each stroke", () => {
    const first = { points: [[0, 0], [0, 1], [0, 2]] as const, kind: "walk", speed: 1, colour: "" };
    const second = { points: [[0, 3], [0, 4]] as const, kind: "run", speed: 3, colour: "" };
    expect(pathFrom([first], [0.5, 0])[0]).toEqual([0.5, 0, "walk", 1]);
    expect(pathFrom([first, second], [0.1, 1.1])).toEqual([
      [0.1, 1.1, "walk", 1],
      [0, 1, "walk", 1],
      [0, 2, "walk", 1],
      [0, 3, "run", 3],
      [0, 4, "run", 3],
    ]);
  });
  it("shows types by hue and speeds by lightness", () => {
    const [slow, fast, other] = [gaitColour(kinds, "walk", 0.5), gaitColour(kinds, "walk", 2), gaitColour(kinds, "run", 2)];
    expect(new Set([slow, fast, other]).size).toBe(3);
    expect(slow.split(" ")[0]).toBe(fast.split(" ")[0]);
  });
});

describe("a gamepad", () => {
  const pad = (axes: number[], down: number[]) =>
    ({ axes, buttons: Array.from({ length: 16 }, (_, k) => ({ pressed: down.includes(k), value: down.includes(k) ? 1 : 0 })) }) as unknown as Gamepad;
  it("steers, hurries, and says each press once", () => {
    const look = new Pad();
    expect(look.look([null])).toBeNull();
    const first = look.look([null, pad([-1, -0.5], [5, 7])]);
    expect([first?.ahead, first?.left, first?.hurry, [...(first?.pressed ?? [])]]).toEqual([0.5, 1, 1, ["next"]]);
    expect([...(look.look([pad([0, 0], [5])])?.pressed ?? [])]).toEqual([]);
    look.look([pad([0, 0], [])]);
    expect([...(look.look([pad([0, 0], [0, 4])])?.pressed ?? [])]).toEqual(["take", "previous"]);
  });
});

describe("studies", () => {
  it("keeps conditions under their motion, in order", () => {
    const one = (motion: string, condition: string) => ({ name: `${motion}, ${condition}`, motion, condition, frames: 1 });
    const groups = byMotion([one("b", "x"), one("b", "y"), one("a", "x")]);
    expect(groups.map(([motion, stimuli]) => [motion, stimuli.length])).toEqual([["b", 2], ["a", 1]]);
  });
  it("says who has answered", () => {
    const run = { file: "a.segue", study: "s", state: "open" as const, address: "", people: 1, robots: 0, done: 0, answers: 1, error: "" };
    expect(progressWords(run)).toBe("1 participant, 0 to the end, 1 answer");
    expect(progressWords({ ...run, people: 0, robots: 3, done: 3, answers: 9 })).toBe("3 robots, 3 to the end, 9 answers");
  });
});

describe("looping", () => {
  const main = { head: { fps: 30, seams: [[30, 40], [90, 100]] } };
  const view = (change: object) => ({ main, loop: null, range: null, frameNumber: 85, seconds: 5, time: 2.8, seek: () => undefined, ...change }) as unknown as Parameters<typeof toggleLoop>[0];
  it("takes what is chosen in the lanes before the nearest seam", () => {
    const chosen = view({ range: [1, 2] });
    toggleLoop(chosen);
    expect(chosen.loop).toEqual([1, 2]);
    toggleLoop(chosen);
    expect(chosen.loop).toBeNull();
    const plain = view({});
    toggleLoop(plain);
    expect(plain.loop).toEqual(seamLoop([90, 100], 30, 5));
  });
  it("does nothing where there is no motion, and loops all where there is no seam", () => {
    const nothing = view({ main: null });
    toggleLoop(nothing);
    const bare = view({ main: { head: { fps: 30, seams: [] } } });
    toggleLoop(bare);
    expect([nothing.loop, bare.loop]).toEqual([null, null]);
  });
});

describe("sentences", () => {
  it("begin with a capital, but names of files and joints stay as they are", () => {
    expect(["the server is gone", "walk.bvh:1: no motion", "tail", "left_hip is none"].map(capital)).toEqual(["The server is gone", "walk.bvh:1: no motion", "tail", "left_hip is none"]);
    expect(sentence("not taken: walk.bvh")).toBe("Not taken: walk.bvh.");
    expect([sentence("reading …"), sentence("")]).toEqual(["Reading …", ""]);
  });
  it("count", () => {
    expect([counted(0, "clip"), counted(1, "clip"), counted(2, "new motion")]).toEqual(["0 clips", "1 clip", "2 new motions"]);
  });
});
