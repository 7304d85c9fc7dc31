/** The tab Sequence: motions on a timeline. Every edit is computed on the server, which returns only the frames that changed. */

import { call } from "./api";
import type { BlankWords } from "./blank";
import { problem } from "./clips_tab";
import { h, put, sentence } from "./dom";
import { ElementList } from "./element_list";
import { hint } from "./fields";
import { sourceColour } from "./plot";
import { SequenceFrames } from "./sequence_frames";
import { actionOf, stepOf, type SequenceAction } from "./sequence_keys";
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
  type Script,
} from "./timeline_model";
import { fail, sentenceOf, tell } from "./toast";

const EMPTY: Script = { name: "sequence", motions: [], smoothness: 0.5, method: "optimal", cores: {} };

export class SequenceTab implements Tab {
  readonly title = "Sequence";
  private active = false;
  private history = new History<Script>(EMPTY);
  private opened = false;
  private problem = "";
  private measured = false; // the lanes show measures in place of the timeline
  private readonly frames: SequenceFrames;
  private readonly timeline: Timeline;
  private readonly list: ElementList;
  private readonly keeping: Keeping;

  constructor(private readonly place: Place) {
    this.keeping = new Keeping(place, { now: () => this.history.now, changed: () => this.draw() });
    this.frames = new SequenceFrames(place, this.keeping, {
      active: () => this.active,
      made: () => this.draw(!this.timeline.dragging),
      again: () => this.active && this.want(this.history.now),
    });
    this.timeline = new Timeline((motion) => this.colour(motion), {
      edited: (script, done) => (done ? this.commit(script) : this.want(script)),
      chosen: (id) => this.choose(id),
      seek: (clock) => this.frames.seek(clock),
      undo: () => this.step("undo"),
      redo: () => this.step("redo"),
    });
    this.list = new ElementList({
      open: (name) => void this.openSequence(name),
      fresh: () => this.fresh(),
      rename: (name) => void this.rename(name),
      forget: () => void this.forget(),
      add: (name, atPlayhead) => this.add(name, atPlayhead),
      preview: (name) => void place.view.show([`element:${name}`]).catch(fail),
      remove: (name) => this.keeping.removeElement(name),
      propose: (clips) => void this.keeping.propose(clips),
    }, {
      carry: (motion, event) => !this.measured && this.timeline.carry(motion, event),
      drop: () => this.timeline.drop(),
      giveUp: () => this.timeline.escape(),
    });
    place.view.onTime(() => this.timed());
    place.store.listen((changed) => {
      if (this.active && changed.has("theme")) setTimeout(() => this.draw());
      if (this.active && changed.has("project")) this.draw();
    });
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
    this.frames.forget();
    void this.load();
  }

  close(): void {
    this.active = false;
    this.frames.stop();
    void this.keeping.save();
    this.list.element.remove();
    this.timeline.element.remove();
    const clips = this.clipList;
    if (clips) clips.hidden = false;
    this.place.lanes.element.hidden = false;
  }

  blank(): BlankWords | null {
    if (!this.opened) return { words: this.problem ? "The sequences could not be loaded; see the inspector for the reason" : "Opening …" };
    if (this.frames.problem) return { words: this.frames.problem };
    if (this.keeping.elements.size) return { words: "Nothing is arranged yet; place a motion of the list in the lanes, and it plays here" };
    return { words: "Elementary motions are joined in time to a sequence; propose some from a clip, on the left" };
  }

  linked(): void {
    if (this.problem) void this.load();
    else if (this.frames.problem) this.want(this.history.now);
  }

  /** Show the measures of the sequence in the lanes, or the timeline. */
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
    this.frames.forget();
    this.place.store.set({ sequence: script.name });
    this.want(script);
  }

  private fresh(): void {
    void this.keeping.save().then(() => this.begin({ ...EMPTY, name: this.keeping.freeName("sequence") }, false));
  }

  // ---- edits

  /** Add a finished edit to the undo history, and save it. */
  private commit(script: Script, key = ""): void {
    this.history.push(script, key);
    this.frames.letGo();
    this.keeping.edited();
    this.want(script);
  }

  private step(way: "undo" | "redo"): void {
    const { history } = this;
    if (way === "undo" ? !history.canUndo : !history.canRedo) return;
    const script = history[way]();
    const { chosen } = this.timeline;
    if (!script.motions.some((one) => one.id === chosen)) this.timeline.chosen = null;
    this.frames.letGo();
    this.keeping.edited();
    this.want(script);
  }

  private add(name: string, atPlayhead = false): void {
    const element = this.keeping.elements.get(name);
    if (!element) return;
    const core = this.history.now.cores[name] ?? element.core;
    const after = (): number => placeFor(this.timeline.blocks, { ...element, core: [core[0], core[1]] }, this.timeline.chosen);
    const at = atPlayhead && this.frames.made ? this.frames.clock : after();
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
    loop: (from, to) => this.frames.loop(from, to),
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
    const { clock, shown } = this.frames;
    const away = (block && (clock < block.begin || clock > block.end) && !this.place.view.playing) || !shown;
    if (block && !block.reason && away) this.frames.seek(block.begin);
    this.inspect();
  }

  private focusChosen(): void {
    requestAnimationFrame(() => this.timeline.element.querySelector<HTMLElement>(`[data-id="${this.timeline.chosen}"]`)?.focus());
  }

  // ---- frames

  private want(script: Script, inspect = true): void {
    this.draw(inspect);
    this.frames.want(script);
  }

  private timed(): void {
    if (this.active && this.frames.shown) this.timeline.setClock(this.frames.clock, this.place.view.playing);
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

  key(event: KeyboardEvent): boolean {
    const { timeline } = this;
    const block = timeline.blocks.find((one) => one.id === timeline.chosen);
    const step = stepOf(event);
    if (step && block) {
      const fps = this.frames.made?.view.fps ?? 60;
      const at = (Math.round(block.core[0] * fps) + step) / fps;
      this.commit(moved(this.history.now, block.id, at), `nudge ${block.id}`);
      return true;
    }
    const actions: Record<SequenceAction, () => void> = {
      remove: () => block && this.remove(block.id),
      again: () => block && this.again(block.id),
      leave: () => timeline.escape() || this.choose(null),
      nearer: () => timeline.zoom(1.4),
      farther: () => timeline.zoom(1 / 1.4),
      all: () => timeline.fit(),
      measures: () => this.measure(!this.measured),
      search: () => this.list.element.querySelector<HTMLElement>(".search")?.focus(),
      undo: () => this.step("undo"),
      redo: () => this.step("redo"),
    };
    const action = actionOf(event);
    if (action) actions[action]();
    return action !== null;
  }

  command(event: KeyboardEvent): boolean {
    return this.key(event);
  }

  // ---- drawing

  private get shown(): Shown {
    return { script: this.script, made: this.frames.made, blocks: this.timeline.blocks, elements: this.keeping.elements };
  }

  private draw(inspect = true): void {
    if (!this.active) return;
    const { history, timeline } = this;
    timeline.elements = this.keeping.elements;
    timeline.show(this.opened ? history.now : null, this.frames.made, { undo: history.canUndo, redo: history.canRedo });
    this.say();
    if (inspect) this.inspect();
    this.drawList();
    this.timed();
    this.place.blank();
  }

  private say(): void {
    const empty = this.opened && !this.script.motions.length;
    const why = this.problem || this.frames.problem;
    if (why) this.timeline.say(h("p", {}, sentence(why)));
    else if (empty) this.timeline.say(h("p", {}, this.keeping.elements.size ? "Drag a motion from the list to its time, or click it. The next one follows, joined to the first." : this.place.store.project?.clips.length ? "Propose elementary motions on the left, then place them here." : "Motions are placed here; they are cut from clips, and there is no clip yet."));
    else this.timeline.say();
  }

  private inspect(): void {
    const { inspector } = this.place;
    if (!this.active || (inspector.contains(document.activeElement) && document.activeElement?.getAttribute("type") === "range" && document.activeElement.matches(":active"))) return;
    const block = this.timeline.blocks.find((one) => one.id === this.timeline.chosen);
    const focus = (document.activeElement as HTMLElement | null)?.getAttribute("aria-label");
    const inside = inspector.contains(document.activeElement);
    if (!this.opened) put(inspector, h("h2", {}, "Sequence"), this.problem ? problem(this.problem, () => void this.load()) : h("p", { class: "waiting", role: "status" }, "Opening …"));
    else if (!this.timeline.blocks.length)
      put(inspector, h("h2", {}, this.history.now.name), hint("Motions are placed in time and joined at once: no graph, nothing computed beforehand. The decisions for each pair, and their reasons, are shown here."));
    else put(inspector, ...(block ? motionRows(this.shown, block, this.events) : sequenceRows(this.shown, { milliseconds: this.frames.milliseconds, measured: this.measured }, this.events)).filter((row) => row !== null));
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
