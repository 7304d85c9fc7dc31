/** The clips on the left: search, tags, thumbnails, and the choice of two to compare. */

import { thumbnail } from "./api";
import { counted, h, icon, put } from "./dom";
import { chosenClips, tagCounts, type Store } from "./store";
import type { ClipCard } from "./wire";

/** Select a clip: on Transitions it becomes A or B, elsewhere it is shown. */
export function chooseClip(store: Store, name: string, slot?: "a" | "b"): void {
  const { work } = store;
  if (work.tab !== "transitions" && !slot) {
    store.set({ clip: name });
    return;
  }
  const taken = slot ?? work.slot;
  store.set({ [taken]: name, slot: taken === "a" ? "b" : "a", frames: null });
}

function facts(clip: ClipCard): string {
  const words = [...clip.tags, ...clip.labels].join(", ");
  const length = clip.seconds ? `${clip.seconds.toFixed(1)} s` : "";
  return [length, words].filter(Boolean).join(" · ") || (clip.problem ? "cannot be read" : "…");
}

const pictures = new Map<string, HTMLImageElement>();
const waiting: HTMLImageElement[] = [];
let loading = 0;

/** Load thumbnails two at a time, so that a long list does not delay motions. */
function loadNext(): void {
  while (loading < 2) {
    const image = waiting.pop();
    if (!image) return;
    if (!image.isConnected) {
      seen.unobserve(image);
      seen.observe(image);
      continue;
    }
    loading++;
    const over = (): void => {
      loading--;
      loadNext();
    };
    image.addEventListener("load", over, { once: true });
    image.addEventListener(
      "error",
      () => {
        image.removeAttribute("src"); // the reason is shown when the clip is selected
        image.classList.add("unread");
        over();
      },
      { once: true },
    );
    image.src = thumbnail(image.dataset["word"] ?? "");
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    waiting.push(target as HTMLImageElement);
  }
  loadNext();
});

/** Return the thumbnail of a motion, loaded when it is first visible. */
export function pictured(word: string): HTMLImageElement {
  let image = pictures.get(word);
  if (!image) {
    image = h("img", { alt: "", width: "44", height: "32", "data-word": word });
    pictures.set(word, image);
    seen.observe(image);
  }
  return image;
}

export function clipList(store: Store, onImport: () => void): HTMLElement {
  const search = h("input", { type: "search", class: "search", placeholder: "Search clips   /", "aria-label": "search clips", spellcheck: "false" });
  const tags = h("div", { class: "tags", role: "group", "aria-label": "tags" });
  const rows = h("div", { class: "clip-rows", role: "listbox", "aria-label": "clips" });
  search.addEventListener("input", () => store.set({ search: search.value }));

  const row = (clip: ClipCard): HTMLElement => {
    const { work } = store;
    const picks = work.tab === "transitions";
    const on = picks ? clip.name === work.a || clip.name === work.b : clip.name === work.clip;
    const mark = picks ? [clip.name === work.a && "A", clip.name === work.b && "B"].filter(Boolean).join(" ") : "";
    const pick = (slot: "a" | "b"): HTMLElement =>
      h("span", {
        class: "pick",
        role: "button",
        title: `Compare as ${slot.toUpperCase()}`,
        onclick: (event: Event) => {
          event.stopPropagation();
          store.set({ tab: "transitions" });
          chooseClip(store, clip.name, slot);
        },
      }, slot.toUpperCase());
    return h(
      "button",
      {
        class: "clip",
        role: "option",
        "aria-selected": String(on),
        "data-clip": clip.name,
        title: clip.problem || clip.name,
        onclick: () => chooseClip(store, clip.name),
      },
      pictured(`clip:${clip.name}`),
      h("span", { class: "clip-words" }, h("b", {}, clip.name), h("small", {}, facts(clip))),
      clip.faulty_frames || clip.problem
        ? h("span", { class: "warn", title: clip.problem || `${clip.faulty_frames} frames hold no motion` }, icon("warn", 15))
        : null,
      mark ? h("span", { class: "slot" }, mark) : h("span", { class: "picks" }, pick("a"), pick("b")),
    );
  };
  const draw = (): void => {
    const { work, project } = store;
    if (!project) return;
    if (document.activeElement !== search) search.value = work.search;
    search.placeholder = `Search ${counted(project.clips.length, "clip")}   /`;
    const counts = tagCounts(project.clips).slice(0, 12);
    put(
      tags,
      ...(counts.length
        ? [["", project.clips.length] as [string, number], ...counts].map(([tag, count]) =>
            h(
              "button",
              { class: "tag", "aria-pressed": String(work.tag === tag), onclick: () => store.set({ tag }) },
              tag ? `${tag} ${count}` : "all",
            ),
          )
        : []),
    );
    const shown = chosenClips(project.clips, work.search, work.tag);
    const top = rows.scrollTop;
    put(
      rows,
      ...shown.map(row),
      shown.length ? null : emptyList(store, onImport),
    );
    rows.scrollTop = top;
  };
  rows.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...rows.querySelectorAll<HTMLElement>(".clip")];
    const next = all[all.indexOf(document.activeElement as HTMLElement) + step];
    next?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  store.listen((changed) => {
    if (["search", "tag", "project", "clip", "a", "b", "tab", "slot"].some((key) => changed.has(key as "tag"))) draw();
  });
  draw();
  return h("aside", { class: "left", "aria-label": "clips" }, search, tags, rows);
}

function emptyList(store: Store, onImport: () => void): HTMLElement {
  const some = Boolean(store.project?.clips.length);
  return h(
    "div",
    { class: "empty" },
    h("p", {}, some ? "No clip has these words." : "There is no clip here yet."),
    some
      ? h("button", { onclick: () => store.set({ search: "", tag: "" }) }, "Show all clips")
      : h("button", { onclick: onImport }, "Import files"),
  );
}
