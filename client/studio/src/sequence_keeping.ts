/** Elementary motions and sequences stored on the server: loaded, saved after edits, proposed, removed. */

import { call } from "./api";
import { counted, settled } from "./dom";
import type { Place } from "./tab";
import { toldOf, type Script } from "./timeline_model";
import { fail, sentenceOf, tell } from "./toast";
import type { ElementView, PackedCalls, SequencesView } from "./wire";

export interface KeepingEvents {
  /** Return the sequence to save. */
  now(): Script;
  changed(): void;
}

export class Keeping {
  found: SequencesView | null = null;
  elements: ReadonlyMap<string, ElementView> = new Map();
  /** State of saving, shown to the user. */
  saved = "";
  busy = "";
  private unsaved = false;
  private readonly cores = new Map<string, readonly [number, number]>(); // as first loaded by the page

  constructor(
    private readonly place: Place,
    private readonly events: KeepingEvents,
  ) {
    addEventListener("pagehide", () => void this.save());
    addEventListener("beforeunload", (event) => {
      if (this.unsaved && this.saved.startsWith("not saved")) event.preventDefault(); // it is not stored anywhere yet
    });
  }

  get names(): string[] {
    return this.found?.sequences.map((one) => one.name) ?? [];
  }

  /** Return a name that no sequence has. */
  freeName(stem: string): string {
    let name = stem;
    for (let k = 2; this.names.includes(name); k++) name = `${stem} ${k}`;
    return name;
  }

  /** Convert a script to the form of the server. */
  told(script: Script): PackedCalls["arrange"][0]["script"] {
    return toldOf(script, this.cores);
  }

  async read(): Promise<void> {
    this.take(await call("sequences", {}));
  }

  private take(found: SequencesView): void {
    this.found = found;
    this.elements = new Map(found.elements.map((one) => [one.name, one]));
    for (const { name, core } of found.elements) if (!this.cores.has(name)) this.cores.set(name, core);
  }

  /** Note that a sequence was opened, a stored or a new one. */
  opened(kept: boolean): void {
    this.unsaved = false;
    this.saved = kept ? this.where() : "";
  }

  /** Note an edit; the sequence is saved when no further one follows for half a second. */
  edited(): void {
    this.unsaved = true;
    this.saved = "…";
    this.saveSoon();
  }

  private readonly saveSoon = settled(() => void this.save(), 500);

  private where(): string {
    return this.found?.kept ? `saved in ${this.place.store.project?.name ?? "the library"}` : "kept until the studio closes";
  }

  async save(): Promise<void> {
    if (!this.unsaved) return;
    this.unsaved = false;
    try {
      this.take(await call("keep_sequence", { script: this.told(this.events.now()) }));
      if (!this.unsaved) this.saved = this.where();
    } catch (error) {
      this.unsaved = true;
      this.saved = `not saved: ${sentenceOf(error)}`;
      setTimeout(() => void this.save(), 3000);
    }
    this.events.changed();
  }

  /** Remove a sequence from the server, if it is stored there. */
  async forget(name: string): Promise<void> {
    if (this.names.includes(name)) await this.change(() => call("remove_sequence", { name }));
  }

  removeElement(name: string): void {
    void this.change(() => call("remove_element", { name }));
  }

  /** Make a change; return false if it was refused, after showing the reason. */
  private async change(ask: () => Promise<SequencesView>): Promise<boolean> {
    try {
      this.take(await ask());
      return true;
    } catch (error) {
      fail(error);
      return false;
    } finally {
      this.events.changed();
    }
  }

  async propose(clips: string[]): Promise<void> {
    const before = this.elements.size;
    this.busy = clips.length > 1 ? `Cutting ${clips.length} clips …` : `Cutting ${clips[0]} …`;
    this.events.changed();
    const done = await this.change(() => call("propose_elements", { clips }));
    this.busy = "";
    const more = this.elements.size - before;
    if (done) tell(more ? `${counted(more, "new elementary motion")}.` : "Nothing new: these are in the list already.");
    this.events.changed();
  }
}
