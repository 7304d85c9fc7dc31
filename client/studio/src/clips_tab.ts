/** One clip: what the reader took, roles, contacts, labels, tags, faults. */

import { call, forgetMotion } from "./api";
import { h, icon, put, words } from "./dom";
import { choice, fact, hint, section } from "./fields";
import type { Place, Tab } from "./tab";
import { fail, tell } from "./toast";
import type { ClipView, Span } from "./wire";

export class ClipsTab implements Tab {
  readonly title = "Clips";
  private view: ClipView | null = null;
  private shown = "";
  private selected: [number, number] | null = null;
  private active = false;

  constructor(private readonly place: Place) {
    place.store.listen((changed) => {
      if (this.active && changed.has("clip")) void this.load();
    });
  }

  open(): void {
    this.active = true;
    void this.load();
  }

  close(): void {
    this.active = false;
    this.shown = "";
  }

  range(start: number, stop: number): void {
    this.selected = [start, stop];
    this.draw();
  }

  private async load(): Promise<void> {
    const { clip } = this.place.store.work;
    if (!clip) {
      this.view = null;
      put(this.place.inspector, hint("Choose a clip on the left, or drop motion files on this page."));
      return;
    }
    this.selected = null;
    if (this.shown !== clip) {
      this.shown = clip;
      put(this.place.inspector, h("h2", {}, clip), h("p", { class: "faint" }, "Reading …"));
      try {
        await this.place.view.show([`clip:${clip}`]);
        this.view = await call("clip", { clip });
      } catch (error) {
        this.shown = "";
        if (!this.active) return;
        this.place.view.empty();
        put(this.place.inspector, h("h2", {}, clip), problem(error, () => void this.load()));
        return;
      }
    }
    if (this.active && this.place.store.work.clip === clip) this.draw();
  }

  private draw(): void {
    const { view } = this;
    if (!view) return;
    const { store } = this.place;
    put(
      this.place.inspector,
      h("h2", {}, view.name, h("small", {}, `${view.seconds.toFixed(2)} s · ${view.frames} frames`)),
      h(
        "div",
        { class: "facts" },
        ...Object.entries(view.facts).map(([name, value]) => fact(name[0].toUpperCase() + name.slice(1), value)),
      ),
      view.faults.length ? this.faults(view) : null,
      view.notes.length
        ? section("What the reader took", h("ul", { class: "notes" }, ...view.notes.map((note) => h("li", {}, note))))
        : null,
      section("Labels and tags", this.labels(view), store.project?.writable ? this.tagRow(view) : null),
      section("Roles", this.roles(view)),
      h("div", { class: "fineprint", title: view.file }, view.file),
    );
  }

  private faults(view: ClipView): HTMLElement {
    return section(
      `${view.faults.length} ${view.faults.length === 1 ? "fault" : "faults"}`,
      h(
        "ul",
        { class: "spans" },
        ...view.faults.slice(0, 20).map((fault) =>
          h("li", {}, h("button", { class: "span-row warn-row", onclick: () => this.go(fault.start) }, icon("warn", 14), h("span", {}, fault.sentence))),
        ),
      ),
    );
  }

  private go(frame: number): void {
    this.place.view.toggle(false);
    this.place.view.seek(frame / this.place.view.fps);
  }

  private labels(view: ClipView): HTMLElement {
    const fps = view.fps;
    const words = (span: Span): string => `${(span.start / fps).toFixed(2)} – ${(span.stop / fps).toFixed(2)} s`;
    const rows = view.labels.map((label) =>
      h(
        "li",
        {},
        h("button", { class: "span-row", onclick: () => this.go(label.start) }, h("b", {}, label.text), h("small", {}, words(label))),
        h("button", { class: "bare", "aria-label": `remove ${label.text}`, onclick: () => void this.label(label, true) }, icon("close", 13)),
      ),
    );
    if (!this.place.store.project?.writable) {
      return h("p", { class: "faint" }, "Labels and tags are kept in a library: segue library add makes one of these clips.");
    }
    const [start, stop] = this.selected ?? [0, view.frames];
    const input = h("input", { type: "text", placeholder: "label …", "aria-label": "label", maxlength: "80" });
    const add = h("button", { type: "submit" }, "Add");
    const form = h(
      "form",
      {
        class: "inline",
        onsubmit: (event: Event) => {
          event.preventDefault();
          if (input.value.trim()) void this.label({ start, stop, text: input.value.trim() }, false);
        },
      },
      input,
      add,
    );
    const where = this.selected
      ? `for ${words({ start, stop, text: "" })}`
      : "for the whole clip; drag over the lanes to choose a part";
    return h("div", {}, h("ul", { class: "spans" }, ...rows), form, h("p", { class: "fineprint" }, where));
  }

  private tagRow(view: ClipView): HTMLElement {
    const input = h("input", { type: "text", placeholder: "tag …", "aria-label": "tag", maxlength: "80" });
    return h(
      "div",
      {},
      h(
        "div",
        { class: "tags" },
        ...view.tags.map((tag) =>
          h("button", { class: "tag", title: "Remove", onclick: () => void this.tag(tag, true) }, `${tag} ×`),
        ),
      ),
      h(
        "form",
        {
          class: "inline",
          onsubmit: (event: Event) => {
            event.preventDefault();
            if (input.value.trim()) void this.tag(input.value.trim(), false);
          },
        },
        input,
        h("button", { type: "submit" }, "Tag"),
      ),
    );
  }

  private async label(span: Span, remove: boolean): Promise<void> {
    if (!this.view) return;
    try {
      this.view = await call("label", { clip: this.view.name, ...span, remove });
      this.draw();
      await this.refresh();
    } catch (error) {
      fail(error);
    }
  }

  private async tag(text: string, remove: boolean): Promise<void> {
    if (!this.view) return;
    try {
      this.view = await call("tag", { clip: this.view.name, text, remove });
      this.draw();
      await this.refresh();
    } catch (error) {
      fail(error);
    }
  }

  private async refresh(): Promise<void> {
    this.place.store.replace(await call("project", {}));
  }

  private roles(view: ClipView): HTMLElement {
    const joints = [["", "–"] as const, ...view.joints.map((joint) => [joint, joint] as const)];
    const by = new Map(view.roles.map((role) => [role.role, role]));
    const names = [...view.roles.map((role) => role.role), ...view.unknown_roles];
    const rows = names.map((name) => {
      const found = by.get(name);
      const row = choice(words(name), joints, found?.joint ?? "", (joint) => void this.setRole(name, joint));
      row.classList.toggle("doubtful", !found || found.confidence < 0.8);
      row.title = found ? `found by ${found.how}, confidence ${found.confidence.toFixed(2)}` : "not found";
      return row;
    });
    return h("details", {}, h("summary", {}, `${view.roles.length} of ${names.length} found`), ...rows);
  }

  private async setRole(role: string, joint: string): Promise<void> {
    const { view } = this;
    if (!view) return;
    try {
      this.view = await call("roles", { clip: view.name, roles: { [role]: joint } });
      forgetMotion(`clip:${view.name}`);
      await this.place.view.show([`clip:${view.name}`]);
      tell(`${words(role)} is ${joint || "none"} from now on`);
    } catch (error) {
      fail(error);
    }
    this.draw();
  }
}

/** A sentence about an error where its result would have stood, with a way on. */
export function problem(error: unknown, again: () => void): HTMLElement {
  const sentence = error instanceof Error ? error.message : String(error);
  return h(
    "div",
    { class: "problem" },
    icon("warn", 18),
    h("p", {}, sentence[0]?.toUpperCase() + sentence.slice(1)),
    h("button", { onclick: again }, "Try again"),
  );
}
