/** Finished live runs: each can be played again, kept as a clip, and exported once it is on the stage. */

import { call } from "./api";
import { h, put } from "./dom";
import { section } from "./fields";
import { fail, tell } from "./toast";
import type { Place } from "./tab";
import type { MotionRef, RunView } from "./wire";

export class Runs {
  readonly element = h("div", {});
  private list: readonly RunView[] = [];
  private waits = 0;

  constructor(
    private readonly place: Place,
    private readonly onPlay: () => void,
  ) {}

  /** Load the runs of this session. */
  async load(): Promise<void> {
    try {
      this.list = (await call("runs", {})).runs;
    } catch {
      return; // the page already shows that the server does not answer
    }
    this.draw();
  }

  /** Add a finished run. */
  add(run: RunView): void {
    this.list = [run, ...this.list.filter((one) => one.run !== run.run)].slice(0, 20);
    this.draw();
  }

  /** Show a motion of a run on the stage. */
  async show(motion: MotionRef): Promise<void> {
    this.onPlay();
    await this.place.view.show([motion.word]).catch(fail);
  }

  /** Keep a motion of a run as a clip. */
  async keep(motion: MotionRef): Promise<void> {
    const { store } = this.place;
    try {
      const { added } = await call("keep", { word: motion.word, name: motion.name });
      store.replace(await call("project", {}));
      tell(`${added[0]} is among the clips${store.project?.writable ? "" : " until the studio is closed"}.`, {
        way: { word: "Show it", go: () => store.set({ tab: "clips", clip: added[0], search: "", tag: "" }) },
      });
    } catch (error) {
      fail(error);
    }
  }

  private async made(run: RunView, then: (motion: MotionRef) => Promise<void>): Promise<void> {
    this.waits = run.run;
    this.draw();
    try {
      await then(await call("run", { run: run.run }));
    } catch (error) {
      fail(error);
    } finally {
      this.waits = 0;
      this.draw();
    }
  }

  private draw(): void {
    if (!this.list.length) {
      put(this.element);
      return;
    }
    const rows = this.list.map((run) =>
      h(
        "li",
        { "data-run": String(run.run) },
        h("span", { class: "run-words" }, h("b", {}, run.title), h("small", {}, this.waits === run.run ? "playing it again …" : ` ${run.seconds.toFixed(1)} s`)),
        h("button", { disabled: this.waits > 0, onclick: () => void this.made(run, (motion) => this.show(motion)) }, "Play"),
        h("button", { disabled: this.waits > 0, title: "Keep it as a clip", onclick: () => void this.made(run, (motion) => this.keep(motion)) }, "Keep"),
      ),
    );
    put(this.element, section("Runs so far", h("ul", { class: "runs" }, ...rows), h("p", { class: "fineprint" }, "Each is recorded as its seed and commands. Play one to measure and export it.")));
  }
}
