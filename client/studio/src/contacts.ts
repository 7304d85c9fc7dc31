/** Foot contacts as spans of frames, edited in the lanes: ends are dragged, spans added and removed. */

import { h } from "./dom";
import type { Span } from "./wire";

export const PARTS = ["left_heel", "left_toe", "right_heel", "right_toe"] as const;

/** Sort spans, and merge those of one part that touch or overlap. */
export function merged(spans: readonly Span[]): Span[] {
  const rank = (part: string): number => PARTS.indexOf(part as (typeof PARTS)[number]);
  const out: Span[] = [];
  for (const span of [...spans].sort((a, b) => rank(a.text) - rank(b.text) || a.start - b.start)) {
    const last = out.at(-1);
    if (last && last.text === span.text && span.start <= last.stop) {
      out[out.length - 1] = { ...last, stop: Math.max(last.stop, span.stop) };
    } else out.push({ ...span });
  }
  return out;
}

/** Move one end of a span to a frame; the span keeps at least one frame and stays within the clip. */
export function endMoved(spans: readonly Span[], index: number, end: "start" | "stop", frame: number, frames: number): Span[] {
  const span = spans[index];
  const changed =
    end === "start"
      ? { ...span, start: Math.min(Math.max(frame, 0), span.stop - 1) }
      : { ...span, stop: Math.max(Math.min(frame, frames), span.start + 1) };
  return spans.map((one, k) => (k === index ? changed : one));
}

/** Return a span of a part between two frames in either order, at least one frame long. */
export function spanBetween(text: string, from: number, to: number, frames: number): Span {
  const start = Math.min(Math.max(Math.min(from, to), 0), frames - 1);
  return { text, start, stop: Math.min(Math.max(Math.max(from, to), start + 1), frames) };
}

export interface RowEvents {
  /** Move the cursor to the frame under the pointer. */
  seek(frame: number): void;
  /** Return the frame of the cursor, for the keys. */
  now(): number;
  change(spans: Span[]): void;
}

/** Create the box of one part's lane, in which its spans are edited. */
export function contactBox(part: string, spans: readonly Span[], frames: number, events: RowEvents): HTMLElement {
  const last = Math.max(frames - 1, 1);
  const box = h("div", { class: "lane-box editable", "data-part": part });
  const frameAt = (event: PointerEvent): number => {
    const { left, width } = box.getBoundingClientRect();
    return Math.round(Math.min(Math.max((event.clientX - left) / Math.max(width, 1), 0), 1) * last);
  };
  const laid = (bar: HTMLElement, { start, stop }: Span): void => {
    bar.style.left = `${(100 * start) / last}%`;
    bar.style.width = `${Math.max((100 * (stop - start)) / last, 0.15)}%`;
  };
  const drag = (event: PointerEvent, moved: (frame: number) => Span, done: (moves: boolean) => void): void => {
    event.preventDefault();
    event.stopPropagation();
    const bar = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(".contact") : null;
    let moves = false;
    const move = (next: PointerEvent): void => {
      moves ||= Math.abs(next.clientX - event.clientX) > 3;
      if (!moves) return;
      const frame = frameAt(next);
      const span = moved(frame);
      const shown = bar ?? made;
      if (!shown.isConnected) box.append(shown);
      laid(shown, span);
      events.seek(Math.min(frame, last));
    };
    const up = (): void => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", up);
      done(moves);
    };
    const made = h("i", { class: "contact making" });
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
  };

  spans.forEach((span, index) => {
    if (span.text !== part) return;
    const remove = (): void => events.change(spans.filter((_, k) => k !== index));
    const end = (which: "start" | "stop"): HTMLElement =>
      h("i", {
        class: `contact-end ${which}`,
        onpointerdown: (event: PointerEvent) => {
          let now: readonly Span[] = spans;
          drag(
            event,
            (frame) => {
              now = endMoved(spans, index, which, which === "stop" && frame === last ? frames : frame, frames);
              return now[index];
            },
            (moves) => moves && events.change(merged(now)),
          );
        },
      });
    const bar = h(
      "button",
      {
        class: "contact",
        "aria-label": `${part.replace("_", " ")} on the ground, frames ${span.start} to ${span.stop - 1}`,
        title: `Frames ${span.start} to ${span.stop - 1}. Drag an end, or put the cursor there and press [ or ]; Delete removes`,
        onpointerdown: (event: PointerEvent) => {
          event.stopPropagation();
          events.seek(frameAt(event));
        },
        onkeydown: (event: KeyboardEvent) => {
          const frame = events.now();
          if (event.key === "Delete" || event.key === "Backspace") remove();
          else if (event.key === "[") events.change(merged(endMoved(spans, index, "start", frame, frames)));
          else if (event.key === "]") events.change(merged(endMoved(spans, index, "stop", frame + 1, frames)));
          else return;
          event.preventDefault();
          event.stopPropagation();
        },
      },
      end("start"),
      end("stop"),
    );
    bar.append(h("i", { class: "contact-remove", title: "Remove", onpointerdown: (event: PointerEvent) => event.stopPropagation(), onclick: remove }, "×"));
    laid(bar, span);
    box.append(bar);
  });
  box.addEventListener("pointerdown", (event) => {
    if (event.target !== box || event.shiftKey || event.button !== 0) return; // with Shift the lanes select a range
    const from = frameAt(event);
    let span = spanBetween(part, from, from, frames);
    events.seek(from);
    drag(
      event,
      (frame) => (span = spanBetween(part, from, frame === last ? frames : frame, frames)),
      (moves) => moves && events.change(merged([...spans, span])),
    );
  });
  return box;
}
