/** The elementary motions on the left: search, tags, thumbnails; a motion is added with a click, or dragged to its time. */

import { pictured } from "./clip_list";
import { counted, h, icon, put } from "./dom";
import { letDrag, type DropPlace } from "./element_drag";
import { inkOn } from "./timeline_lanes";
import { chosenElements } from "./timeline_model";
import type { ElementView, SequencesView } from "./wire";

export interface ElementEvents {
  open(sequence: string): void;
  fresh(): void;
  rename(name: string): void;
  forget(): void;
  /** Place a motion after the chosen one, or with its core at the playhead. */
  add(element: string, atPlayhead: boolean): void;
  preview(element: string): void;
  remove(element: string): void;
  propose(clips: string[]): void;
}

export interface ElementLook {
  readonly found: SequencesView | null;
  readonly name: string;
  readonly saved: string;
  readonly clips: readonly string[];
  readonly clip: string;
  readonly busy: string;
  readonly colour: (motion: string) => string;
}

export class ElementList {
  readonly element: HTMLElement;
  private search = "";
  private tag = "";
  private clip = "";
  private renaming = false;
  private look: ElementLook | null = null;
  private readonly head = h("div", { class: "sequence-head" });
  private readonly field = h("input", { type: "search", class: "search", placeholder: "Search motions   /", "aria-label": "search motions", spellcheck: "false" });
  private readonly tags = h("div", { class: "tags", role: "group", "aria-label": "tags" });
  private readonly rows = h("div", { class: "clip-rows", role: "list", "aria-label": "elementary motions" });
  private readonly foot = h("div", { class: "element-foot" });

  constructor(
    private readonly events: ElementEvents,
    timeline: DropPlace,
  ) {
    this.element = h("aside", { class: "left elements", "aria-label": "elementary motions" }, this.head, this.field, this.tags, this.rows, this.foot);
    this.field.addEventListener("input", () => {
      this.search = this.field.value;
      this.draw();
    });
    letDrag(this.rows, timeline, (motion) => this.look?.colour(motion) ?? "");
    this.rows.addEventListener("keydown", (event) => {
      const on = (event.target as HTMLElement).dataset["element"];
      if (event.key === "Enter" && event.shiftKey && on !== undefined) {
        event.preventDefault();
        this.events.add(on, true);
        return;
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const all = [...this.rows.querySelectorAll<HTMLElement>(".clip")];
      all[all.indexOf(document.activeElement as HTMLElement) + step]?.focus();
      event.preventDefault();
      event.stopPropagation();
    });
  }

  show(look: ElementLook): void {
    this.look = look;
    if (!look.clips.includes(this.clip)) this.clip = look.clips.includes(look.clip) ? look.clip : (look.clips[0] ?? "");
    this.draw();
  }

  private draw(): void {
    const { look } = this;
    if (!look) return;
    const elements = look.found?.elements ?? [];
    const shown = chosenElements(elements, this.search, this.tag);
    put(this.head, ...this.headRow(look));
    this.field.hidden = this.tags.hidden = !elements.length;
    this.field.placeholder = `Search ${counted(elements.length, "motion")}   /`;
    const tags = [...new Set(elements.flatMap((one) => one.tags))].slice(0, 8);
    put(
      this.tags,
      ...(tags.length ? ["", ...tags] : []).map((tag) =>
        h("button", {
          class: "tag",
          "aria-pressed": String(this.tag === tag),
          onclick: () => {
            this.tag = tag;
            this.draw();
          },
        }, tag || "all"),
      ),
    );
    const top = this.rows.scrollTop;
    const focus = (document.activeElement as HTMLElement | null)?.dataset?.["element"];
    put(this.rows, ...shown.map((one) => this.row(one, look)), shown.length || !look.found ? null : this.none(look, elements.length > 0));
    this.rows.scrollTop = top;
    if (focus) this.rows.querySelector<HTMLElement>(`[data-element="${CSS.escape(focus)}"]`)?.focus();
    put(this.foot, ...(elements.length ? this.proposing(look) : []));
  }

  private headRow(look: ElementLook): (HTMLElement | null)[] {
    const names = look.found?.sequences.map((one) => one.name) ?? [];
    const small = (name: "plus" | "pen" | "bin", title: string, go: () => void): HTMLElement => h("button", { class: "bare", "aria-label": title, title, onclick: go }, icon(name, 14));
    const input = h("input", { type: "text", value: look.name, maxlength: "80", "aria-label": "name of the sequence" });
    const named = (): void => {
      this.renaming = false;
      if (input.value.trim() && input.value.trim() !== look.name) this.events.rename(input.value.trim());
      else this.draw();
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") named();
      if (event.key === "Escape") {
        this.renaming = false;
        this.draw();
      }
    });
    input.addEventListener("blur", () => this.renaming && named());
    const select = h("select", { "aria-label": "sequence", title: "Which sequence" });
    for (const name of [...new Set([...names, look.name])].filter(Boolean)) select.append(h("option", { value: name, selected: name === look.name }, name));
    select.addEventListener("change", () => this.events.open(select.value));
    if (this.renaming) requestAnimationFrame(() => input.focus());
    return [
      h(
        "div",
        { class: "sequence-row" },
        this.renaming ? input : select,
        small("pen", "Rename the sequence", () => {
          this.renaming = true;
          this.draw();
        }),
        small("plus", "New sequence", () => this.events.fresh()),
        small("bin", "Delete the sequence", () => this.events.forget()),
      ),
      h("small", { class: "saved", role: "status" }, look.saved),
    ];
  }

  private row(one: ElementView, look: ElementLook): HTMLElement {
    const seconds = one.frames / one.fps;
    const colour = look.colour(one.name);
    const small = (name: "play" | "close", title: string, go: () => void): HTMLElement =>
      h("span", {
        class: "pick",
        role: "button",
        title,
        onclick: (event: Event) => {
          event.stopPropagation();
          go();
        },
      }, icon(name, 12));
    const bar = h("i", { class: "element-bar", style: `background:${colour};color:${inkOn(colour)}` }, h("i", { style: `left:${(100 * one.core[0]) / one.frames}%;width:${(100 * (one.core[1] - one.core[0])) / one.frames}%` }));
    return h(
      "button",
      { class: "clip", role: "listitem", "data-element": one.name, title: `Drag ${one.name} (of ${one.clip}) onto the timeline; a click or Enter adds it after the chosen motion, Shift Enter at the playhead`, onclick: (event: MouseEvent) => this.events.add(one.name, event.shiftKey) },
      pictured(`element:${one.name}`),
      h("span", { class: "clip-words" }, h("b", {}, one.name), h("small", {}, [`${seconds.toFixed(1)} s`, one.tags.join(", ") || one.clip].join(" · ")), bar),
      h("span", { class: "picks" }, small("play", "Show it on the stage", () => this.events.preview(one.name)), small("close", "Remove it from the list", () => this.events.remove(one.name))),
      h("span", { class: "slot" }, icon("plus", 14)),
    );
  }

  private none(look: ElementLook, some: boolean): HTMLElement {
    if (some) return h("div", { class: "empty" }, h("p", {}, "No motion has these words."));
    if (!look.clips.length) return h("div", { class: "empty" }, h("p", {}, "Elementary motions are cut from clips, and there is no clip yet."));
    return h(
      "div",
      { class: "empty" },
      h("p", {}, "There are no elementary motions yet. They are cut from clips: at the rests, each with a core that stays as it was captured."),
      ...this.proposing(look),
      look.clips.length > 1 && look.clips.length <= 40 ? h("button", { disabled: Boolean(look.busy), onclick: () => this.events.propose([...look.clips]) }, `Of all ${look.clips.length} clips`) : null,
    );
  }

  private proposing(look: ElementLook): HTMLElement[] {
    if (look.busy) return [h("p", { class: "waiting", role: "status" }, look.busy)];
    const select = h("select", { "aria-label": "clip to cut" });
    for (const name of look.clips) select.append(h("option", { value: name, selected: name === this.clip }, name));
    select.addEventListener("change", () => (this.clip = select.value));
    const go = h("button", { class: look.found?.elements.length ? "" : "primary", disabled: !look.clips.length, title: "Cut this clip into elementary motions", onclick: () => this.events.propose([this.clip]) }, "Propose");
    return [h("div", { class: "propose" }, select, go)];
  }
}
