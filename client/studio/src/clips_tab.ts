/** The tab Clips: reader notes, roles, contacts, labels, tags and faults of one clip. */

import { call, forgetMotion } from "./api";
import { counted, h, icon, put, sentence, words } from "./dom";
import type { BlankWords } from "./blank";
import { Edits, type Edit } from "./edits";
import { choice, fact, hint, section } from "./fields";
import type { Place, Tab } from "./tab";
import { fail, tell } from "./toast";
import type { ClipView, FaultView, Span } from "./wire";

export class ClipsTab implements Tab {
  readonly title = "Clips";
  private view: ClipView | null = null;
  private shown = "";
  private selected: [number, number] | null = null;
  private active = false;
  private failed = false;
  private readonly edits = new Edits();

  constructor(private readonly place: Place) {
    place.store.listen((changed) => {
      if (this.active && changed.has("clip")) void this.load();
      if (this.active && changed.has("lane")) this.draw();
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

  blank(): BlankWords | null {
    const { clip } = this.place.store.work;
    if (!clip) return { words: "Choose a clip on the left, or drop motion files on this page" };
    return this.failed ? { words: `the clip ${clip} cannot be shown; see the inspector for the reason` } : { words: "Reading …" };
  }

  linked(): void {
    if (this.failed) void this.load();
  }

  range(start: number, stop: number): void {
    this.selected = [start, stop];
    this.draw();
  }

  /** Return the function that sets the contacts of the clip on the stage after an edit in the lanes. */
  contacts(): ((spans: Span[]) => void) | null {
    const { view } = this;
    if (!view || this.place.view.main?.word !== `clip:${view.name}`) return null;
    return (spans) => void this.editContacts(spans);
  }

  faults(): readonly FaultView[] {
    const { view } = this;
    return view && this.place.view.main?.word === `clip:${view.name}` ? view.faults : [];
  }

  command(event: KeyboardEvent): boolean {
    const key = event.key.toLowerCase();
    const redo = key === "y" || (key === "z" && event.shiftKey);
    if (!redo && key !== "z") return false;
    void this.history(redo ? "redo" : "undo");
    return true;
  }

  private async history(way: "undo" | "redo"): Promise<void> {
    try {
      const title = await this.edits[way]();
      if (!title) return;
      this.draw();
      tell(`${way === "undo" ? "Undone" : "Done again"}: ${title}.`);
    } catch (error) {
      fail(error);
    }
  }

  /** Make a change that can be undone, and show the changed clip. */
  private async make(edit: Edit): Promise<void> {
    try {
      await this.edits.make(edit);
      if (this.active) this.draw(); // with the undo button
    } catch (error) {
      fail(error);
      this.draw();
      void this.place.lanes.load(true);
    }
  }

  /** Store new facts of a clip, and show them if the clip is on the stage. */
  private took(view: ClipView): void {
    if (this.view?.name !== view.name) return;
    this.view = view;
    if (this.active) this.draw();
  }

  private async editContacts(spans: Span[] | null): Promise<void> {
    const { view } = this;
    if (!view) return;
    const clip = view.name;
    const before = view.contacts_set ? view.contacts : null;
    const set = async (to: Span[] | null): Promise<void> => {
      this.took(await call("contacts", { clip, contacts: to ?? [], found: to === null }));
      await this.shownAgain(clip);
    };
    await this.make({ title: `contacts of ${clip}`, redo: () => set(spans), undo: () => set(before) });
  }

  /** Show a clip's motion after it was read again, at the same time, with its planted feet and measures. */
  private async shownAgain(clip: string): Promise<void> {
    const word = `clip:${clip}`;
    forgetMotion(word);
    const { view: stage, lanes } = this.place;
    if (!this.active || stage.main?.word !== word) return;
    await stage.show([word], { at: stage.time, play: stage.playing, loop: stage.loop, stay: true });
    await lanes.load(true);
  }

  private async load(): Promise<void> {
    const { clip } = this.place.store.work;
    if (!clip) {
      this.view = null;
      put(this.place.inspector, h("h2", {}, "Clips"), hint("What the reader found in a clip appears here: its unit and axes, faults, roles, contacts, labels and tags."));
      return;
    }
    this.selected = null;
    this.failed = false;
    if (this.shown !== clip) {
      this.shown = clip;
      put(this.place.inspector, h("h2", {}, clip), h("p", { class: "faint" }, "Reading …"));
      try {
        this.view = null;
        await this.place.view.show([`clip:${clip}`]);
        const view = await call("clip", { clip });
        if (this.shown !== clip) return; // another clip was selected meanwhile
        this.view = view;
        if (this.active) this.place.lanes.draw(); // contacts are editable from now on
      } catch (error) {
        if (this.shown !== clip) return;
        this.shown = "";
        this.failed = true;
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
      h("h2", {}, view.name, h("small", {}, `${view.seconds.toFixed(2)} s · ${view.frames} frames`), this.historyRow()),
      h(
        "div",
        { class: "facts" },
        ...Object.entries(view.facts).map(([name, value]) => fact(name[0].toUpperCase() + name.slice(1), value)),
      ),
      view.faults.length ? this.faultRows(view) : null,
      view.notes.length
        ? section("What the reader took", h("ul", { class: "notes" }, ...view.notes.map((note) => h("li", {}, note))))
        : null,
      section("Labels and tags", this.labels(view), store.project?.writable ? this.tagRow(view) : null),
      section("Contacts", this.contactsRow(view)),
      section("Roles", this.roles(view)),
      h("div", { class: "fineprint", title: view.file }, view.file),
    );
  }

  private historyRow(): HTMLElement | null {
    const button = (way: "undo" | "redo", title: string): HTMLElement | null => {
      if (!title) return null;
      const keys = way === "undo" ? "Ctrl Z" : "Ctrl Shift Z";
      return h("button", { class: "link", title: `${title} (${keys})`, onclick: () => void this.history(way) }, way === "undo" ? "Undo" : "Redo");
    };
    const both = [button("undo", this.edits.undoes), button("redo", this.edits.redoes)];
    return both.some(Boolean) ? h("span", { class: "history" }, ...both) : null;
  }

  private contactsRow(view: ClipView): HTMLElement {
    const { store } = this.place;
    const where = store.work.lane === "contacts" ? "Drag an end; drag on an empty place to add one; Delete removes." : "";
    return h(
      "div",
      {},
      fact(view.contacts_set ? "Set by hand" : "Found in the motion", counted(view.contacts.length, "plant")),
      h(
        "div",
        { class: "buttons" },
        where ? null : h("button", { onclick: () => store.set({ lane: "contacts" }) }, "Edit on the lanes"),
        view.contacts_set ? h("button", { onclick: () => void this.editContacts(null) }, "Back to those found") : null,
      ),
      where ? h("p", { class: "fineprint" }, where) : null,
    );
  }

  private faultRows(view: ClipView): HTMLElement {
    return section(
      counted(view.faults.length, "fault"),
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
    const clip = this.view?.name;
    if (!clip) return;
    const set = async (gone: boolean): Promise<void> => {
      this.took(await call("label", { clip, ...span, remove: gone }));
      await this.refresh();
    };
    await this.make({ title: `label ${span.text}`, redo: () => set(remove), undo: () => set(!remove) });
  }

  private async tag(text: string, remove: boolean): Promise<void> {
    const clip = this.view?.name;
    if (!clip) return;
    const set = async (gone: boolean): Promise<void> => {
      this.took(await call("tag", { clip, text, remove: gone }));
      await this.refresh();
    };
    await this.make({ title: `tag ${text}`, redo: () => set(remove), undo: () => set(!remove) });
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
    const clip = view.name;
    const before = view.roles.find((one) => one.role === role)?.joint ?? "";
    const set = async (to: string): Promise<void> => {
      this.took(await call("roles", { clip, roles: { [role]: to } }));
      await this.shownAgain(clip);
      tell(`${words(role)} is ${to || "none"} from now on`);
    };
    await this.make({ title: words(role), redo: () => set(joint), undo: () => set(before) });
  }
}

/** Show an error in place of its result, with a button to try again. */
export function problem(error: unknown, again: () => void): HTMLElement {
  return h(
    "div",
    { class: "problem", role: "alert" },
    icon("warn", 18),
    h("p", {}, sentence(error instanceof Error ? error.message : String(error))),
    h("button", { onclick: again }, "Try again"),
  );
}
