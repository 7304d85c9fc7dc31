/** The inspector of a sequence: the selected motion, or the complete sequence. */

import { h, icon } from "./dom";
import { choice, fact, section } from "./fields";
import { ink, plot } from "./plot";
import { blendOf, joinOf, type Arranged, type Block, type Script } from "./timeline_model";
import type { ElementView, JoinView } from "./wire";

const METHODS = [
  ["optimal", "Optimal blends"],
  ["pose-similarity", "Pose similarity alone"],
  ["constraint-only", "Foot constraints alone"],
] as const;
const KEYS: readonly (readonly [string, string])[] = [
  ["Tab", "next motion"],
  ["← →", "a frame"],
  ["Shift ← →", "ten"],
  ["Del", "remove"],
  ["Ctrl D", "again"],
  ["Ctrl Z", "undo"],
  ["+ − Z", "zoom, all"],
  ["M", "measures"],
];

export interface InspectorEvents {
  smoothness(id: number | null, value: number | null, done: boolean): void;
  method(value: Script["method"]): void;
  core(motion: string, core: readonly [number, number]): void;
  at(id: number, seconds: number): void;
  soonest(id: number): void;
  priority(id: number, value: number): void;
  remove(id: number): void;
  again(id: number): void;
  choose(id: number): void;
  measure(): void;
  loop(from: number, to: number): void;
}

export interface Shown {
  readonly script: Script;
  readonly made: Arranged | null;
  readonly blocks: readonly Block[];
  readonly elements: ReadonlyMap<string, ElementView>;
}

const seconds = (value: number): string => `${value.toFixed(2)} s`;
const millimetres = (metres: number): string => `${(1000 * metres).toFixed(1)} mm`;
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Create the rows of the inspector for a motion. */
export function motionRows(shown: Shown, block: Block, events: InspectorEvents): (HTMLElement | null)[] {
  const { script, made, blocks } = shown;
  const placing = script.motions.find((one) => one.id === block.id);
  const join = joinOf(made, block.id);
  const order = blocks.findIndex((one) => one.id === block.id) + 1;
  const buttons = h(
    "div",
    { class: "buttons" },
    join ? h("button", { title: "Play what joins it to the motion before", onclick: () => loopJoin(shown, join, events) }, "Play the join") : null,
    h("button", { title: "Place it once more (Ctrl D)", onclick: () => events.again(block.id) }, "Again"),
    h("button", { title: "Remove it (Del)", onclick: () => events.remove(block.id) }, "Remove"),
  );
  return [
    h("h2", {}, block.motion, h("small", {}, `#${order} of ${blocks.length}`)),
    block.reason ? rejectedBox(block, events) : null,
    h(
      "div",
      { class: "facts" },
      fact("Begins", seconds(block.begin)),
      fact("Core", `${block.core[0].toFixed(2)} – ${seconds(block.core[1])}`),
      ...(join ? joinFacts(join) : [block.reason ? null : fact("Joined by", h("span", {}, "– ", h("small", {}, "the first motion")))]),
    ),
    join && placing ? smoothnessRow(script, block.id, placing.smoothness, events) : null,
    join ? curveSection(join) : null,
    join?.lost.length
      ? section("Why not another method", h("ul", { class: "notes" }, ...join.lost.map((one) => h("li", {}, `${sentence(one.method)}: ${one.reason}`))))
      : null,
    placing ? timeSection(shown, block, placing, events) : null,
    buttons,
  ];
}

function joinFacts(join: JoinView): (HTMLElement | null)[] {
  const lasts = (half: "lower" | "upper"): string => {
    const segment = blendOf(join, half);
    return segment ? seconds(segment.end - segment.begin) : "–";
  };
  const limited = join.segments.some((one) => one.limited);
  const [left, right] = join.foothold;
  const kept = [left >= 0.005 && `left ${(100 * left).toFixed(1)} cm`, right >= 0.005 && `right ${(100 * right).toFixed(1)} cm`].filter(Boolean).join(", ");
  const before = join.slip_before > 5e-5 ? h("small", {}, ` ${millimetres(join.slip_before)} before IK`) : null;
  return [
    fact("Joined by", h("span", {}, `${sentence(join.method)} `, h("small", {}, join.because))),
    fact("Lower range", lasts("lower")),
    fact("Upper range", lasts("upper")),
    fact("Foot slip", h("span", { class: join.slip_after < 0.002 ? "good" : "poor" }, millimetres(join.slip_after), before)),
    kept ? fact("Footholds moved", kept) : null,
    Math.abs(join.turned) > 0.01 ? fact("Turned", `${((180 / Math.PI) * join.turned).toFixed(0)}°`) : null,
    limited ? fact("Weight curve", h("small", {}, "a slope is limited, so that it does not turn back")) : null,
  ];
}

function rejectedBox(block: Block, events: InspectorEvents): HTMLElement {
  return h(
    "div",
    { class: "rejected-box", role: "status" },
    h("b", {}, icon("warn", 14), ` Rejected at ${seconds(block.core[0])}`),
    h("p", {}, `${sentence(block.reason)}.`),
    h("button", { class: "primary", onclick: () => events.at(block.id, block.nearest) }, `Move to ${seconds(block.nearest)}`),
  );
}

/** Create the row of W, of a pair or of the sequence. */
function smoothnessRow(script: Script, id: number | null, own: number | null, events: InspectorEvents): HTMLElement {
  const value = own ?? script.smoothness;
  const number = h("b", {}, `W ${value.toFixed(2)}`);
  const input = h("input", { type: "range", min: 0, max: 1, step: 0.01, value, "aria-label": id === null ? "W of the sequence" : "W of this pair" });
  const set = (done: boolean): void => {
    number.textContent = `W ${Number(input.value).toFixed(2)}`;
    events.smoothness(id, Number(input.value), done);
  };
  input.addEventListener("input", () => set(false));
  input.addEventListener("change", () => set(true));
  const whose =
    id === null
      ? null
      : own === null
        ? h("small", {}, "the sequence's")
        : h("button", { class: "link", onclick: () => events.smoothness(id, null, true) }, "take the sequence's");
  return h("div", { class: "smoothness" }, h("div", {}, h("span", {}, "Responsive"), number, h("span", {}, "Smooth"), whose), input);
}

function curveSection(join: JoinView): HTMLElement {
  const canvas = h("canvas", { class: "curve" });
  const halves = (["lower", "upper"] as const).map((half) => ({ half, segment: blendOf(join, half) }));
  const from = Math.min(...halves.map(({ segment }) => segment?.begin ?? Infinity));
  const to = Math.max(...halves.map(({ segment }) => segment?.end ?? -Infinity));
  const draw = (): void => {
    if (!canvas.isConnected) return;
    plot(canvas, {
      top: 1,
      curves: halves.map(({ half, segment }) => ({
        values: segment ? resampled(segment, from, to) : [],
        colour: ink(half === "lower" ? "--accent" : "--violet"),
        width: 2,
      })),
    });
  };
  requestAnimationFrame(draw);
  return section(
    "Weight curve",
    canvas,
    h("div", { class: "legend" }, h("span", { class: "key key-accent" }, "lower body"), h("span", { class: "key key-upper" }, "upper body"), h("span", { class: "legend-end" }, seconds(to - from))),
  );
}

/** Resample a weight curve over a range that contains it: 0 before, 1 after. */
export function resampled(segment: { begin: number; end: number; weights: readonly number[] }, from: number, to: number): number[] {
  const count = 96;
  const last = segment.weights.length - 1;
  return Array.from({ length: count }, (_, k) => {
    const at = from + ((to - from) * k) / (count - 1);
    const part = (at - segment.begin) / Math.max(segment.end - segment.begin, 1e-9);
    if (part <= 0) return 0;
    if (part >= 1 || last < 1) return 1;
    const place = part * last;
    const low = Math.floor(place);
    return segment.weights[low] + (place - low) * (segment.weights[low + 1] - segment.weights[low]);
  });
}

function timeSection(shown: Shown, block: Block, placing: Script["motions"][number], events: InspectorEvents): HTMLElement {
  const element = shown.elements.get(block.motion);
  const core = shown.script.cores[block.motion] ?? element?.core;
  const number = (name: string, value: number, step: number, changed: (value: number) => void, most: number): HTMLElement => {
    const input = h("input", { type: "number", step, min: 0, max: most, value: String(Number(value.toFixed(3))), "aria-label": name });
    input.addEventListener("change", () => Number.isFinite(input.valueAsNumber) && changed(input.valueAsNumber));
    return h("label", { class: "number" }, h("small", {}, name), input);
  };
  const fps = element?.fps ?? 30;
  const frames = element?.frames ?? 1;
  return section(
    "Time and core",
    h(
      "div",
      { class: "numbers" },
      number("core at, s", block.core[0], 0.05, (value) => events.at(block.id, value), 3600),
      core ? number("core from, s", core[0] / fps, 1 / fps, (value) => events.core(block.motion, [clampFrame(value * fps, 0, core[1] - 1), core[1]]), frames / fps) : null,
      core ? number("to, s", core[1] / fps, 1 / fps, (value) => events.core(block.motion, [core[0], clampFrame(value * fps, core[0] + 1, frames)]), frames / fps) : null,
      number("priority", placing.priority, 1, (value) => events.priority(block.id, Math.round(value)), 1000),
    ),
    placing.at === null
      ? h("p", { class: "fineprint" }, "It begins as soon as it can after the motion before it; drag it to set a time.")
      : h("button", { class: "link start", onclick: () => events.soonest(block.id) }, "As soon as possible after the one before"),
  );
}

function clampFrame(value: number, least: number, most: number): number {
  return Math.min(Math.max(Math.round(value), least), most);
}

function loopJoin({ made }: Shown, join: JoinView, events: InspectorEvents): void {
  const before = made?.view.placed.find((one) => one.number === join.previous);
  if (!before) return;
  const ends = join.segments.filter((one) => one.kind !== "foothold kept");
  events.loop(before.begin + Math.min(...ends.map((one) => one.begin)), before.begin + Math.max(...ends.map((one) => one.end)));
}

/** Create the rows of the inspector for the complete sequence. */
export function sequenceRows(
  shown: Shown,
  { milliseconds, measured }: { milliseconds: number; measured: boolean },
  events: InspectorEvents,
): (HTMLElement | null)[] {
  const { script, made, blocks } = shown;
  const joins = made?.view.joins ?? [];
  const counts = new Map<string, number>();
  for (const { method } of joins) counts.set(method, (counts.get(method) ?? 0) + 1);
  const worst = joins.reduce((most, join) => (join.slip_after > (most?.slip_after ?? 0) ? join : most), undefined as JoinView | undefined);
  const worstId = worst && made?.script.motions[worst.following]?.id;
  const lost = blocks.filter((block) => block.reason);
  return [
    h("h2", {}, script.name, h("small", {}, `${blocks.length} motions`)),
    made
      ? h(
          "div",
          { class: "facts" },
          fact("Length", seconds((made.view.frames - 1) / made.view.fps)),
          fact("Joined by", h("span", {}, ...[...counts].flatMap(([method, count]) => [h("span", { class: "count" }, `${count} × ${method}`)]))),
          worst && worstId !== undefined
            ? fact(
                "Most foot slip",
                h("span", {}, h("span", { class: worst.slip_after < 0.002 ? "good" : "poor" }, millimetres(worst.slip_after)), h("button", { class: "link", onclick: () => events.choose(worstId) }, `at ${made.script.motions[worst.following].motion}`)),
              )
            : null,
          milliseconds ? fact("New frames after", h("span", { class: milliseconds < 50 ? "good" : "" }, `${milliseconds.toFixed(0)} ms`)) : null,
        )
      : null,
    smoothnessRow(script, null, script.smoothness, events),
    choice("Joined with", METHODS, script.method, (value) => events.method(value as Script["method"])),
    lost.length
      ? section(
          lost.length === 1 ? "One motion is rejected" : `${lost.length} motions are rejected`,
          ...lost.map((block) => h("button", { class: "span-row warn-row", onclick: () => events.choose(block.id) }, icon("warn", 14), h("span", {}, `${block.motion} at ${seconds(block.core[0])}`))),
        )
      : null,
    made ? h("button", { class: "wide", "aria-pressed": String(measured), onclick: () => events.measure() }, measured ? "Back to the timeline" : "Measures in the lanes") : null,
    section("Keys", h("div", { class: "keys" }, ...KEYS.map(([key, what]) => h("span", {}, h("kbd", {}, key), ` ${what}`)))),
  ];
}

