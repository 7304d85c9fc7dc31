/** The tab Graph: build a graph as a job, draw it as a ring of clips, walk it at random, along a drawn path, or with many characters. */

import { call } from "./api";
import type { BlankWords } from "./blank";
import { problem } from "./clips_tab";
import { counted, digits, h, put } from "./dom";
import { fact, hint, section, slider } from "./fields";
import { GroundPen } from "./ground_pen";
import { fitted, ink, sourceColour } from "./plot";
import { chosenClips } from "./store";
import type { Place, Tab } from "./tab";
import { fail, sentenceOf } from "./toast";
import type { GraphView, JobView, WalkView } from "./wire";

interface Arc {
  readonly from: number;
  readonly to: number;
}

/** Return the arc of each clip on a ring, proportional to its length, with gaps between. */
export function ring(frames: readonly number[], gap = 0.02): Arc[] {
  const total = frames.reduce((sum, count) => sum + count, 0) || 1;
  const between = Math.min(gap, 1.5 / Math.max(frames.length, 1));
  const room = 2 * Math.PI - between * frames.length;
  let at = -Math.PI / 2;
  return frames.map((count) => {
    const from = at;
    at += (count / total) * room;
    const arc = { from, to: at };
    at += between;
    return arc;
  });
}

export class GraphTab implements Tab {
  readonly title = "Graph";
  private graph: GraphView | null = null;
  private walk: WalkView | null = null;
  private job: JobView | null = null;
  private error: unknown = null;
  private working = "";
  private quality = 1;
  private active = false;
  private readonly canvas = h("canvas", { class: "ring", role: "img" });
  private readonly words = h("div", { class: "fineprint ring-words" });
  private readonly pen: GroundPen;

  constructor(private readonly place: Place) {
    this.pen = new GroundPen(place.view, place.overlay);
    place.view.onTime(() => this.active && this.drawRing());
    new ResizeObserver(() => this.drawRing()).observe(this.canvas);
    place.store.listen((changed) => {
      if (!this.active) return;
      if (changed.has("theme")) setTimeout(() => this.drawRing());
      if (["search", "tag", "project"].some((key) => changed.has(key as "tag"))) this.draw();
    });
  }

  /** Number of the current graph, for steering; 0 for none. */
  get number(): number {
    return this.graph?.graph ?? 0;
  }

  open(): void {
    this.active = true;
    if (this.walk) void this.place.view.show([this.walk.motion.word]).catch(() => (this.walk = null));
    else this.place.view.empty();
    this.draw();
  }

  close(): void {
    this.active = false;
    this.pen.stop();
  }

  blank(): BlankWords | null {
    const { graph, names } = this;
    if (this.job?.state === "running") return { words: "The graph is being built; its first walk plays here" };
    if (this.error) return { words: "No graph was built; see the inspector for the reason" };
    if (graph) return { words: graph.reached.length ? "Walk at random, or draw a path: the walk plays here" : graph.sentence };
    if (!names.length) return { words: "No clip has these words; the search and the tags on the left choose what the graph is made of" };
    return { words: "There is no graph yet; build one on the right, and its walks play here" };
  }

  private get names(): string[] {
    const { work, project } = this.place.store;
    return chosenClips(project?.clips ?? [], work.search, work.tag).map((clip) => clip.name);
  }

  private draw(): void {
    const { inspector } = this.place;
    const { graph, job } = this;
    const names = this.names;
    const running = job?.state === "running";
    const build = h(
      "button",
      { class: graph ? "wide" : "primary wide", disabled: running || !names.length, onclick: () => void this.build() },
      graph ? `Build again from ${counted(names.length, "clip")}` : `Build the graph of ${counted(names.length, "clip")}`,
    );
    put(
      inspector,
      h("h2", {}, "Motion graph", graph && h("small", {}, counted(graph.clips.length, "clip"))),
      graph ? h("div", { class: "ring-box" }, this.canvas, this.words) : null,
      graph && h("div", { class: "facts" },
        fact("Reached", `${graph.reached.length} of ${counted(graph.clips.length, "clip")}`, graph.reached.length ? "good" : "poor"),
        fact("Transitions", String(graph.edges.length)),
        fact("Motion in reach", `${Math.round(100 * graph.share)} %`),
      ),
      graph ? this.walks(graph) : hint("A graph lets motion go on for ever: every clip of the list is compared with every other, each transition is made and measured."),
      this.error ? problem(this.error, () => void this.build()) : null,
      section(
        "Build",
        slider("Quality", { min: 0.4, max: 2, step: 0.05, value: this.quality }, (value) => digits(value, 2), (value) => (this.quality = value)),
        running && job ? this.progress(job) : build,
        h("p", { class: "fineprint" }, "The search and the tags on the left choose the clips. Lower quality reaches more of them."),
      ),
      graph && Object.keys(graph.left_out).length ? this.leftOut(graph) : null,
    );
    this.drawRing();
    this.place.blank();
  }

  private progress(job: JobView): HTMLElement {
    const part = job.total ? job.done / job.total : 0;
    return h(
      "div",
      { class: "job" },
      h("div", { class: "job-row" }, h("span", {}, job.stage || "starting"), h("span", { class: "faint" }, job.total ? `${job.done} / ${job.total}` : "")),
      h(
        "div",
        { class: "progress", role: "progressbar", "aria-label": job.stage, "aria-valuenow": Math.round(100 * part), "aria-valuemin": 0, "aria-valuemax": 100 },
        h("i", { style: `width:${(100 * part).toFixed(1)}%` }),
      ),
      h("button", { onclick: () => void call("cancel", { job: job.id }).catch(fail) }, "Cancel"),
    );
  }

  private async build(): Promise<void> {
    const { work, project } = this.place.store;
    const setting = project?.costs.find((one) => one.name === work.cost)?.setting;
    this.error = null;
    try {
      const settings: Record<string, string> = setting && work.weights ? { [setting]: work.weights } : {};
      const { job } = await call("build", { clips: this.names, quality: this.quality, cost: work.cost, settings });
      this.place.watch(
        job,
        (result) => void this.take(Number(result)),
        (moved) => {
          this.job = moved;
          if (moved.state === "failed") this.error = new Error(moved.error);
          if (this.active) this.draw();
        },
      );
    } catch (error) {
      this.error = new Error(sentenceOf(error));
      this.draw();
    }
  }

  private async take(number: number): Promise<void> {
    try {
      this.graph = await call("graph", { graph: number });
      this.walk = null;
      this.draw();
      if (this.active && this.graph.reached.length) await this.wander();
    } catch (error) {
      fail(error);
    }
  }

  private walks(graph: GraphView): HTMLElement {
    const { store } = this.place;
    const { work } = store;
    if (!graph.reached.length) return hint(graph.sentence);
    const waits = Boolean(this.working);
    return section(
      "Walk",
      slider("Length", { min: 5, max: 120, step: 5, value: work.walkSeconds }, (value) => `${value} s`, () => undefined, (walkSeconds) => store.set({ walkSeconds })),
      h(
        "div",
        { class: "buttons" },
        h("button", { class: "primary", disabled: waits, onclick: () => void this.wander() }, "Walk at random"),
        h("button", { disabled: waits, onclick: () => this.askPath() }, "Draw a path"),
        h("button", { disabled: waits, onclick: () => void this.floor() }, "Dance floor"),
      ),
      this.working ? h("p", { class: "faint", role: "status" }, this.working) : null,
    );
  }

  private async during(words: string, work: () => Promise<void>): Promise<void> {
    this.working = words;
    this.draw();
    try {
      await work();
    } catch (error) {
      fail(error);
    } finally {
      this.working = "";
      if (this.active) this.draw();
    }
  }

  private async wander(): Promise<void> {
    const { graph } = this;
    const { store } = this.place;
    if (!graph) return;
    this.pen.stop();
    const seed = store.work.seed + 1;
    store.set({ seed });
    await this.during("Walking …", async () => {
      this.walk = await call("walk", { graph: graph.graph, seconds: store.work.walkSeconds, seed });
      if (this.active) await this.place.view.show([this.walk.motion.word]);
    });
  }

  private askPath(): void {
    const { graph } = this;
    if (!graph) return;
    this.place.view.toggle(false);
    this.place.view.setFollow(false);
    this.working = "Draw a line on the floor with the pointer.";
    this.draw();
    this.pen.ask(ink("--accent"), (points) => {
      this.pen.lines = [{ points, colour: ink("--accent") }];
      void this.during("Looking for the walk nearest to the path …", async () => {
        this.walk = await call("walk", { graph: graph.graph, path: points });
        if (this.active) await this.place.view.show([this.walk.motion.word]);
      });
    });
  }

  private async floor(): Promise<void> {
    const { graph } = this;
    const { store } = this.place;
    if (!graph) return;
    this.pen.stop();
    await this.during("Twelve characters are walking …", async () => {
      const { motions } = await call("floor", { graph: graph.graph, count: 12, seconds: Math.min(store.work.walkSeconds, 30), seed: store.work.seed });
      this.walk = null;
      if (this.active) await this.place.view.show(motions.map((motion) => motion.word));
    });
  }

  private leftOut(graph: GraphView): HTMLElement {
    const rows = Object.entries(graph.left_out);
    return h(
      "details",
      { class: "section" },
      h("summary", {}, `${counted(rows.length, "clip")} left out`),
      h("ul", { class: "notes" }, ...rows.slice(0, 60).map(([name, why]) => h("li", {}, h("b", {}, name), ` ${why}`))),
    );
  }

  private drawRing(): void {
    const { graph } = this;
    if (!graph || !this.canvas.isConnected) return;
    const { pen, width, height } = fitted(this.canvas);
    const [x, y] = [width / 2, height / 2];
    const radius = Math.min(width, height) / 2 - 14;
    const arcs = ring(graph.frames);
    const reached = new Set(graph.reached);
    const angle = (clip: number, frame: number): number => {
      const { from, to } = arcs[clip];
      return from + (to - from) * Math.min(frame / Math.max(graph.frames[clip] - 1, 1), 1);
    };
    pen.lineWidth = 0.8;
    pen.globalAlpha = Math.min(0.6, 40 / Math.sqrt(graph.edges.length + 1) / 10 + 0.1);
    for (const edge of graph.edges) {
      const [one, other] = [graph.nodes[edge.start], graph.nodes[edge.end]];
      if (!one.kept || !other.kept) continue;
      const [a, b] = [angle(one.clip, one.frame), angle(other.clip, other.frame)];
      pen.strokeStyle = sourceColour(one.clip);
      pen.beginPath();
      pen.moveTo(x + radius * Math.cos(a), y + radius * Math.sin(a));
      pen.quadraticCurveTo(x, y, x + radius * Math.cos(b), y + radius * Math.sin(b));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    arcs.forEach(({ from, to }, clip) => {
      pen.strokeStyle = reached.has(graph.clips[clip]) ? sourceColour(clip) : ink("--line");
      pen.lineWidth = 7;
      pen.beginPath();
      pen.arc(x, y, radius + 5, from, Math.max(to, from + 0.004));
      pen.stroke();
    });
    this.drawPlace((clip, frame) => {
      const at = angle(clip, frame);
      pen.fillStyle = ink("--text");
      pen.strokeStyle = ink("--panel");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x + (radius + 5) * Math.cos(at), y + (radius + 5) * Math.sin(at), 6, 0, 7);
      pen.fill();
      pen.stroke();
    });
  }

  private drawPlace(dot: (clip: number, frame: number) => void): void {
    const { walk, graph } = this;
    this.words.textContent = graph?.sentence ?? "";
    if (!walk || !graph || this.place.view.main?.word !== walk.motion.word) return;
    const { time } = this.place.view;
    const index = walk.stretches.findLastIndex((stretch) => stretch.at <= time + 1e-6);
    const stretch = walk.stretches[Math.max(index, 0)];
    if (!stretch) return;
    const end = walk.stretches[index + 1]?.at ?? walk.motion.seconds;
    const part = Math.min((time - stretch.at) / Math.max(end - stretch.at, 1e-6), 1);
    dot(graph.clips.indexOf(stretch.clip), stretch.start + part * (stretch.stop - stretch.start));
    this.words.textContent = `${stretch.clip} · ${walk.seams.length} transitions in this walk`;
  }
}
