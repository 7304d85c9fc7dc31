/** Motions arranged on a timeline: every edit is made on the server, and only the frames that changed come back. */

import { arrange, call } from "./api";
import type { MadeFrames } from "./arranged";
import { h, put, settled } from "./dom";
import { ElementList } from "./element_list";
import { hint } from "./fields";
import { sourceColour } from "./plot";
import { motionRows, sequenceRows, type InspectorEvents, type Shown } from "./sequence_inspector";
import { Keeping } from "./sequence_keeping";
import type { Place, Tab } from "./tab";
import { Timeline } from "./timeline";
import {
  added,
  asSoonAsPossible,
  History,
  moved,
  placeFor,
  removed,
  scriptOf,
  withCore,
  withPriority,
  withSmoothness,
  type Arranged,
  type Script,
} from "./timeline_model";
import { fail, sentenceOf, tell } from "./toast";

const EMPTY: Script = { name: "sequence", motions: [], smoothness: 0.5, method: "optimal", cores: {} };

export class SequenceTab implements Tab {
  readonly title = "Sequence";
  private active = false;
  private history = new History<Script>(EMPTY);
  private opened = false;
  private made: (Arranged & { readonly frames: MadeFrames }) | null = null;
  private wanted: Script | null = null;
  private working = false;
  private problem = "";
  private dropped = 0;
  private measured = false; // the lanes show measures in the place of the timeline
  /** Milliseconds from the last edit that was let go to its frames on the stage. */
  milliseconds = 0;
  private readonly timeline: Timeline;
  private readonly list: ElementList;
  private readonly keeping: Keeping;

  constructor(private readonly place: Place) {
    this.keeping = new Keeping(place, { now: () => this.history.now, changed: () => this.draw() });
    this.timeline = new Timeline((motion) => this.colour(motion), {
      edited: (script, done) => (done ? this.commit(script) : this.want(script)),
      chosen: (id) => this.choose(id),
      seek: (clock) => this.seek(clock),
      undo: () => this.step("undo"),
      redo: () => this.step("redo"),
    });
    this.list = new ElementList({
      open: (name) => void this.openSequence(name),
      fresh: () => this.fresh(),
      rename: (name) => void this.rename(name),
      forget: () => void this.forget(),
      add: (name) => this.add(name),
      preview: (name) => void place.view.show([`element:${name}`]).catch(fail),
      remove: (name) => this.keeping.removeElement(name),
      propose: (clips) => void this.keeping.propose(clips),
    });
    place.view.onTime(() => this.timed());
    place.store.listen((changed) => {
      if (this.active && changed.has("theme")) setTimeout(() => this.draw());
      if (this.active && changed.has("project")) this.draw();
    });
    addEventListener("keydown", (event) => this.shortcut(event));
  }

  // ---- the tab

  open(): void {
    this.active = true;
    const { lanes } = this.place;
    const clips = this.clipList;
    if (clips) {
      clips.hidden = true;
      clips.after(this.list.element);
    }
    lanes.element.after(this.timeline.element);
    this.measure(false);
    this.made = null;
    void this.load();
  }

  close(): void {
    this.active = false;
    this.wanted = null;
    void this.keeping.save();
    this.list.element.remove();
    this.timeline.element.remove();
    const clips = this.clipList;
    if (clips) clips.hidden = false;
    this.place.lanes.element.hidden = false;
  }

  /** Measures of the sequence in the lanes, or the timeline. */
  private measure(on: boolean): void {
    const { lanes } = this.place;
    this.measured = on;
    lanes.element.hidden = !on;
    this.timeline.element.hidden = on;
    if (on) void lanes.load(true);
    this.inspect();
  }

  private get clipList(): HTMLElement | null {
    return document.querySelector("#studio > .left:not(.elements)");
  }

  private colour(motion: string): string {
    return sourceColour([...this.keeping.elements.keys()].indexOf(motion));
  }

  private get script(): Script {
    return this.timeline.dragging && this.timeline.script ? this.timeline.script : this.history.now;
  }

  private async load(): Promise<void> {
    this.draw();
    try {
      await this.keeping.read();
      this.problem = "";
    } catch (error) {
      this.problem = sentenceOf(error);
      this.draw();
      return;
    }
    if (this.opened) {
      this.want(this.history.now);
      return;
    }
    const { names } = this.keeping;
    const last = this.place.store.work.sequence;
    await this.openSequence(names.includes(last) ? last : (names[0] ?? ""));
  }

  private async openSequence(name: string): Promise<void> {
    try {
      await this.keeping.save();
      this.begin(name ? scriptOf(await call("sequence", { name })) : { ...EMPTY, name: this.keeping.freeName("sequence") }, name !== "");
    } catch (error) {
      fail(error);
    }
  }

  private begin(script: Script, kept: boolean): void {
    this.opened = true;
    this.keeping.opened(kept);
    this.history = new History(script);
    this.timeline.chosen = null;
    this.made = null;
    this.place.store.set({ sequence: script.name });
    this.want(script);
  }

  private fresh(): void {
    void this.keeping.save().then(() => this.begin({ ...EMPTY, name: this.keeping.freeName("sequence") }, false));
  }

  // ---- edits

  /** An edit is done: it can be undone from now on, and is kept. */
  private commit(script: Script, key = ""): void {
    this.history.push(script, key);
    this.dropped = performance.now();
    this.keeping.edited();
    this.want(script);
  }

  private step(way: "undo" | "redo"): void {
    const { history } = this;
    if (way === "undo" ? !history.canUndo : !history.canRedo) return;
    const script = history[way]();
    const { chosen } = this.timeline;
    if (!script.motions.some((one) => one.id === chosen)) this.timeline.chosen = null;
    this.dropped = performance.now();
    this.keeping.edited();
    this.want(script);
  }

  private add(name: string): void {
    const element = this.keeping.elements.get(name);
    if (!element) return;
    const core = this.history.now.cores[name] ?? element.core;
    const at = placeFor(this.timeline.blocks, { ...element, core: [core[0], core[1]] }, this.timeline.chosen);
    const script = added(this.history.now, name, at);
    this.timeline.chosen = script.motions[script.motions.length - 1].id;
    this.commit(script);
    this.timeline.choose(this.timeline.chosen);
  }

  private readonly events: InspectorEvents = {
    smoothness: (id, value, done) => {
      const script = withSmoothness(this.history.now, id, value);
      if (done) this.commit(script);
      else this.want(script, false);
    },
    method: (method) => this.commit({ ...this.history.now, method }),
    core: (motion, core) => this.commit(withCore(this.history.now, motion, core), `core ${motion}`),
    at: (id, seconds) => this.commit(moved(this.history.now, id, seconds)),
    soonest: (id) => this.commit(asSoonAsPossible(this.history.now, id, this.timeline.blocks)),
    priority: (id, value) => this.commit(withPriority(this.history.now, id, value), `priority ${id}`),
    remove: (id) => this.remove(id),
    again: (id) => this.again(id),
    choose: (id) => this.choose(id),
    measure: () => this.measure(!this.measured),
    loop: (from, to) => {
      const { view } = this.place;
      const zero = this.zero;
      view.loop = [Math.max(from - zero - 0.8, 0), Math.min(to - zero + 0.8, view.seconds)];
      view.seek(view.loop[0]);
      view.toggle(true);
    },
  };

  private remove(id: number): void {
    const { blocks } = this.timeline;
    const at = blocks.findIndex((one) => one.id === id);
    this.timeline.chosen = (blocks[at + 1] ?? blocks[at - 1])?.id ?? null;
    this.commit(removed(this.history.now, id));
    this.focusChosen();
  }

  private again(id: number): void {
    const one = this.history.now.motions.find((other) => other.id === id);
    if (!one) return;
    this.timeline.chosen = id;
    this.add(one.motion);
  }

  private choose(id: number | null): void {
    this.timeline.choose(id);
    const block = this.timeline.blocks.find((one) => one.id === id);
    const { view } = this.place;
    const clock = view.time + this.zero;
    const away = (block && (clock < block.begin || clock > block.end) && !view.playing) || !view.main?.word.startsWith("sequence:");
    if (block && !block.reason && away) this.seek(block.begin);
    this.inspect();
  }

  private focusChosen(): void {
    requestAnimationFrame(() => this.timeline.element.querySelector<HTMLElement>(`[data-id="${this.timeline.chosen}"]`)?.focus());
  }

  // ---- frames

  /** Seconds of the clock at which the motion on the stage begins. */
  private get zero(): number {
    const view = this.made?.view;
    return view ? view.first_frame / view.fps : 0;
  }

  private seek(clock: number): void {
    const { view } = this.place;
    if (this.made && !view.main?.word.startsWith("sequence:")) {
      // an elementary motion was looked at
      void view.show([this.made.frames.loaded.word], { at: clock - this.zero, play: false }).catch(fail);
      return;
    }
    view.toggle(false);
    view.seek(clock - this.zero);
  }

  /** Ask for the frames of a script; while others are made only the newest is remembered. */
  private want(script: Script, inspect = true): void {
    this.wanted = script;
    this.draw(inspect);
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    while (this.wanted && this.active) {
      const script = this.wanted;
      this.wanted = null;
      try {
        if (this.made?.script !== script) await this.make(script); // a drag is mostly made before it is let go
        if (this.dropped && !this.wanted) this.milliseconds = performance.now() - this.dropped;
        if (!this.wanted) this.dropped = 0;
        this.problem = "";
      } catch (error) {
        this.made = null;
        this.problem = sentenceOf(error);
        setTimeout(() => {
          if (this.active && this.problem && !this.wanted) this.want(this.history.now); // the server may be back by now
        }, 4000);
      }
      this.draw(!this.timeline.dragging);
    }
    this.working = false;
  }

  private async make(script: Script): Promise<void> {
    const { view } = this.place;
    if (!script.motions.length) {
      this.made = null;
      if (view.mode !== "nothing") view.empty();
      return;
    }
    const clock = view.time + this.zero;
    const on = this.made !== null && view.main?.word.startsWith("sequence:");
    const frames = await arrange(this.keeping.told(script), on ? (this.made?.frames ?? null) : null);
    if (!this.active) return;
    this.made = { script, view: frames.view, frames };
    const at = clock - this.zero;
    if (on && view.exchange(frames.loaded, at, false)) this.dressSoon();
    else await view.show([frames.loaded.word], { at: on ? at : 0, play: !on });
  }

  /** Trails and marks follow when nothing moves for a moment. */
  private readonly dressSoon = settled(() => {
    const { view } = this.place;
    if (this.active && this.made && view.main === this.made.frames.loaded) view.exchange(this.made.frames.loaded, view.time, true);
  }, 160);

  private timed(): void {
    const { view } = this.place;
    if (this.active && view.main?.word.startsWith("sequence:")) this.timeline.setClock(view.time + this.zero, view.playing);
  }

  // ---- sequences

  private async rename(name: string): Promise<void> {
    const before = this.history.now.name;
    if (this.keeping.names.includes(name)) {
      tell(`A sequence is called ${name} already.`, { bad: true });
      this.drawList();
      return;
    }
    this.history.rewrite((script) => ({ ...script, name }));
    this.keeping.edited();
    this.want(this.history.now);
    this.place.store.set({ sequence: name });
    await this.keeping.save();
    await this.keeping.forget(before);
  }

  private async forget(): Promise<void> {
    const script = this.history.now;
    this.keeping.opened(false);
    await this.keeping.forget(script.name);
    await this.openSequence(this.keeping.names[0] ?? "");
    if (!script.motions.length) return;
    tell(`The sequence ${script.name} is deleted.`, {
      way: {
        word: "Bring it back",
        go: () => {
          this.begin(script, false);
          this.keeping.edited();
        },
      },
    });
  }

  // ---- keys

  private shortcut(event: KeyboardEvent): void {
    const typing = /^(INPUT|TEXTAREA)$/.test((event.target as HTMLElement).tagName) && (event.target as HTMLElement).getAttribute("type") !== "range";
    if (!this.active || typing || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key === "z") this.step(event.shiftKey ? "redo" : "undo");
    else if (key === "y") this.step("redo");
    else if (key === "d" && this.timeline.chosen !== null) this.again(this.timeline.chosen);
    else return;
    event.preventDefault();
  }

  key(event: KeyboardEvent): boolean {
    const { timeline } = this;
    const target = event.target as HTMLElement;
    const on = target.classList.contains("tl-block") || event.altKey;
    const arrow = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const block = timeline.blocks.find((one) => one.id === timeline.chosen);
    if (arrow && block && on) {
      const fps = this.made?.view.fps ?? 60;
      const at = Math.round(block.core[0] * fps + arrow * (event.shiftKey ? 10 : 1)) / fps;
      this.commit(moved(this.history.now, block.id, at), `nudge ${block.id}`);
      return true;
    }
    const actions: Record<string, () => void> = {
      Delete: () => block && this.remove(block.id),
      Backspace: () => block && this.remove(block.id),
      Escape: () => timeline.escape() || this.choose(null),
      "+": () => timeline.zoom(1.4),
      "=": () => timeline.zoom(1.4),
      "-": () => timeline.zoom(1 / 1.4),
      z: () => timeline.fit(),
      m: () => this.measure(!this.measured),
      "/": () => this.list.element.querySelector<HTMLElement>(".search")?.focus(),
    };
    const action = actions[event.key];
    if (!action) return false;
    action();
    return true;
  }

  // ---- drawing

  private get shown(): Shown {
    return { script: this.script, made: this.made, blocks: this.timeline.blocks, elements: this.keeping.elements };
  }

  private draw(inspect = true): void {
    if (!this.active) return;
    const { history, timeline } = this;
    timeline.elements = this.keeping.elements;
    timeline.show(this.opened ? history.now : null, this.made, { undo: history.canUndo, redo: history.canRedo });
    this.say();
    if (inspect) this.inspect();
    this.drawList();
    this.timed();
  }

  private say(): void {
    const empty = this.opened && !this.history.now.motions.length;
    if (this.problem) this.timeline.say(h("p", {}, `${this.problem.charAt(0).toUpperCase()}${this.problem.slice(1)}.`));
    else if (empty) this.timeline.say(h("p", {}, this.keeping.elements.size ? "Click a motion on the left: it is placed here. Click another: it follows, joined to the first." : "Propose elementary motions on the left, then place them here."));
    else this.timeline.say();
  }

  private inspect(): void {
    const { inspector } = this.place;
    if (!this.active || (inspector.contains(document.activeElement) && document.activeElement?.getAttribute("type") === "range" && document.activeElement.matches(":active"))) return;
    const block = this.timeline.blocks.find((one) => one.id === this.timeline.chosen);
    const focus = (document.activeElement as HTMLElement | null)?.getAttribute("aria-label");
    const inside = inspector.contains(document.activeElement);
    if (!this.opened) put(inspector, h("h2", {}, "Sequence"), h("p", { class: "waiting", role: "status" }, this.problem || "Opening …"));
    else if (!this.timeline.blocks.length)
      put(inspector, h("h2", {}, this.history.now.name), hint("Motions are placed in time and joined at once: no graph, nothing computed beforehand. What is decided for a pair, and why, is said here."));
    else put(inspector, ...(block ? motionRows(this.shown, block, this.events) : sequenceRows(this.shown, { milliseconds: this.milliseconds, measured: this.measured }, this.events)).filter((row) => row !== null));
    if (inside && focus) inspector.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focus)}"]`)?.focus();
  }

  private drawList(): void {
    const { project, work } = this.place.store;
    this.list.show({
      found: this.keeping.found,
      name: this.opened ? this.history.now.name : "",
      saved: this.keeping.saved,
      clips: (project?.clips ?? []).filter((clip) => !clip.problem).map((clip) => clip.name),
      clip: work.clip,
      busy: this.keeping.busy,
      colour: (motion) => this.colour(motion),
    });
  }
}
