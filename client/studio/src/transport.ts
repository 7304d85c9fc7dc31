/** The transport bar: play, step, scrub, speed, loop, and the overlays of the body. */

import { clock, h, icon, put } from "./dom";
import type { StageView } from "./stage_view";
import type { Store } from "./store";

const SPEEDS = [0.25, 1, 2];

export function transport(view: StageView, store: Store): HTMLElement {
  const play = h("button", { class: "primary round", "aria-label": "play", title: "Play (space)", onclick: () => view.toggle() });
  const back = h("button", { class: "round", "aria-label": "to the start", title: "To the start (Home)", onclick: () => view.seek(view.loop?.[0] ?? 0) }, icon("back"));
  const on = h("button", { class: "round", "aria-label": "next frame", title: "One frame on (→)", onclick: () => view.step(1) }, icon("forward"));
  const time = h("span", { class: "time" });
  const rest = h("span", { class: "faint" });
  const frame = h("span", { class: "faint frame-number" });
  const bar = h("input", { type: "range", class: "scrub", min: "0", max: "1", step: "0.001", value: "0", "aria-label": "time" });
  const seams = h("div", { class: "scrub-marks", "aria-hidden": "true" });
  bar.addEventListener("input", () => {
    view.toggle(false);
    view.seek(Number(bar.value) * view.seconds);
  });
  const loop = h("button", { class: "toggle", title: "Whole motion, or what is chosen in the lanes, or the nearest seam (l)" }, icon("loop", 15));
  loop.addEventListener("click", () => toggleLoop(view));
  const speeds = SPEEDS.map((speed) =>
    h("button", { class: "speed", "aria-label": `speed ${speed}`, onclick: () => store.set({ speed }) }, `${speed}×`),
  );
  const toggles = (["trails", "onion", "follow"] as const).map((name) =>
    h(
      "button",
      { class: "toggle", "data-name": name, title: `${name} (${name[0]})`, onclick: () => (name === "onion" ? toggleOnion(store) : store.set({ [name]: !store.work[name] })) },
      name[0].toUpperCase() + name.slice(1),
    ),
  );

  const applied = (): void => {
    view.speed = store.work.speed;
    view.setTrails(store.work.trails);
    view.setOnion(onionOf(store));
    view.setFollow(store.work.follow);
    speeds.forEach((button, k) => button.setAttribute("aria-pressed", String(SPEEDS[k] === store.work.speed)));
    toggles.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.dataset["name"] === "onion" ? onionOf(store) : store.work[button.dataset["name"] as "trails"])),
    );
  };
  const shown = (): void => {
    const motion = view.mode === "motion";
    for (const button of [play, back, on, bar, loop]) button.toggleAttribute("disabled", !motion);
    const main = view.main;
    const seconds = view.seconds || 1;
    put(
      seams,
      ...(main?.head.seams ?? []).map(([start, stop]) =>
        h("i", {
          style: `left:${(100 * start) / main!.head.fps / seconds}%;width:${Math.max((100 * (stop - start)) / main!.head.fps / seconds, 0.6)}%`,
        }),
      ),
    );
    moved();
  };
  const moved = (): void => {
    put(play, icon(view.playing ? "pause" : "play"));
    play.setAttribute("aria-label", view.playing ? "pause" : "play");
    loop.setAttribute("aria-pressed", String(view.loop !== null));
    loop.hidden = !view.main?.head.seams.length && !view.range && !view.loop;
    frame.textContent = "";
    if (view.mode === "live") {
      bar.value = "0";
      time.textContent = clock(view.time);
      rest.textContent = " live";
      return;
    }
    if (view.mode !== "motion") {
      bar.value = "0";
      time.textContent = view.mode === "poses" ? "two poses" : "";
      rest.textContent = "";
      return;
    }
    time.textContent = clock(view.time);
    rest.textContent = ` / ${clock(view.seconds)}`;
    frame.textContent = ` · frame ${view.frameNumber}`;
    bar.value = String(view.time / (view.seconds || 1));
  };
  view.onTime(moved);
  view.onShown(shown);
  store.listen(applied);
  applied();
  shown();
  return h(
    "div",
    { class: "transport", role: "toolbar", "aria-label": "transport" },
    back,
    play,
    on,
    h("span", { class: "clock" }, time, rest, frame),
    h("div", { class: "scrub-box" }, seams, bar),
    h("span", { class: "speeds", role: "group", "aria-label": "speed" }, ...speeds),
    loop,
    ...toggles,
  );
}

/** Return whether onion skins are shown; the tab Transitions has its own setting, on by default. */
function onionOf({ work }: Store): boolean {
  return work.tab === "transitions" ? work.skins : work.onion;
}

export function toggleOnion(store: Store): void {
  store.set(store.work.tab === "transitions" ? { skins: !store.work.skins } : { onion: !store.work.onion });
}

/** Stop looping; if nothing loops, loop the range selected in the lanes, else the nearest seam with its surroundings. */
export function toggleLoop(view: Pick<StageView, "main" | "loop" | "range" | "frameNumber" | "seconds" | "time" | "seek">): void {
  const main = view.main;
  if (!main) return;
  if (view.loop) view.loop = null;
  else if (view.range) view.loop = view.range;
  else {
    const frame = view.frameNumber;
    const near = [...main.head.seams].sort(
      (one, other) => Math.abs(one[0] - frame) - Math.abs(other[0] - frame),
    )[0];
    view.loop = near ? seamLoop(near, main.head.fps, view.seconds) : null;
  }
  view.seek(view.loop?.[0] ?? view.time);
}

/** Return the loop range of a seam, with 1.2 s on either side. */
export function seamLoop(seam: readonly [number, number], fps: number, seconds: number): [number, number] {
  return [Math.max(seam[0] / fps - 1.2, 0), Math.min(seam[1] / fps + 1.2, seconds)];
}
