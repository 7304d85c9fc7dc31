/** A live character: steered by keys, a gamepad, the pointer or a drawn path; or a walk of the graph. */

import { h, put, settled } from "./dom";
import { gaitColour } from "./drawn_path";
import { choice, fact, hint, section } from "./fields";
import { Pad } from "./gamepad";
import type { GraphTab } from "./graph_tab";
import { GroundPen } from "./ground_pen";
import { LiveSequence } from "./live_sequence";
import type { LivePose } from "./packed";
import { floorAt } from "./pick";
import { ink, sourceColour } from "./plot";
import { Runs } from "./runs";
import { SteerPath } from "./steer_path";
import { sameWish, stickOf, wishOf, type Kind, type Wanted } from "./steering";
import { chosenClips } from "./store";
import type { Place, Tab } from "./tab";
import { fail, tell } from "./toast";
import type { Began, ToPage } from "./wire";

/** Heading of the root: where its forward axis looks on the ground. */
export function headingOf(pose: ArrayLike<number>): number {
  const [w, x, y, z] = [pose[3], pose[4], pose[5], pose[6]];
  return Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
}

const MOVES = new Set(["w", "a", "s", "d", "arrowup", "arrowdown", "arrowleft", "arrowright", "shift"]);
const CONTROLLERS = [
  ["locomotion", "Blended walker"],
  ["matcher", "Motion matching"],
  ["graph", "Walk of the graph"],
  ["sequence", "Sequence player"],
] as const;

export class SteerTab implements Tab {
  readonly title = "Steer";
  private began: Began | null = null;
  private kinds: Kind[] = [];
  private busy = "";
  private active = false;
  private chosen = "";
  private sent: Wanted | null = null;
  private number = 0;
  private readonly times = new Map<number, number>();
  private latency = 0;
  private shown = 0;
  private rate = 0;
  private lastSecond = 0;
  private source = -1;
  private way: "keys" | "chase" | "path" = "keys";
  private readonly held = new Set<string>();
  private readonly pen: GroundPen;
  private readonly sequence: LiveSequence;
  private readonly live = h("div", { class: "facts" });
  private readonly pad = new Pad();
  private stick = { ahead: 0, left: 0, hurry: 0 };
  private readonly path: SteerPath;
  private readonly runs: Runs;

  constructor(
    private readonly place: Place,
    private readonly graph: GraphTab,
  ) {
    this.pen = new GroundPen(place.view, place.overlay);
    this.runs = new Runs(place, () => this.end());
    this.path = new SteerPath(place, this.pen, () => this.draw());
    this.sequence = new LiveSequence(place, (again) => (again ? this.begin() : this.draw()));
    addEventListener("keyup", (event) => {
      this.held.delete(event.key.toLowerCase());
      this.steer();
    });
    addEventListener("blur", () => {
      this.held.clear();
      this.steer();
    });
    place.view.canvas.addEventListener("pointermove", (event) => this.pointed(event));
    place.store.listen((changed) => {
      if (this.active && ["controller", "search", "tag", "project"].some((key) => changed.has(key as "tag"))) {
        if (changed.has("controller")) this.end();
        this.draw();
      }
    });
  }

  open(): void {
    this.active = true;
    this.pollPad();
    void this.runs.load();
    this.draw();
    if (!this.began) this.begin();
  }

  close(): void {
    this.active = false;
    this.end();
  }

  /** The connection is there again: the character is begun anew. */
  linked(): void {
    if (this.active && (this.began || this.busy)) this.begin();
  }

  message(message: ToPage): void {
    if (message.type === "busy") this.busy = message.what;
    else if (message.type === "answers") this.sequence.told(message.answers);
    else if (message.type === "began") void this.start(message);
    else if (message.type === "refused") {
      tell(message.error, { bad: true });
      this.busy = "";
    } else if (message.type === "recorded") {
      this.runs.add(message.run);
      return;
    } else if (message.type === "kept") {
      const { motion } = message;
      tell(`The run of ${motion.seconds.toFixed(1)} s so far:`, {
        way: { word: "Play it", go: () => void this.runs.show(motion) },
        more: { word: "Keep it as a clip", go: () => void this.runs.keep(motion) },
      });
    } else return;
    if (this.active) this.draw();
  }

  pose(pose: LivePose): void {
    if (!this.active || !this.began) return;
    this.place.link.send({ type: "seen", number: pose.number });
    const now = performance.now();
    const asked = this.times.get(pose.steered);
    if (asked !== undefined) {
      const took = now - asked;
      this.latency = this.latency ? 0.8 * this.latency + 0.2 * took : took;
      for (const old of this.times.keys()) if (old <= pose.steered) this.times.delete(old);
    }
    this.shown++;
    this.source = pose.source;
    const colour = pose.source >= 0 ? sourceColour(pose.source) : null;
    this.place.view.pose(pose, colour);
    this.measure(pose);
    if (now - this.lastSecond > 500) {
      this.rate = (1000 * this.shown) / (now - this.lastSecond);
      this.shown = 0;
      this.lastSecond = now;
      this.drawLive();
    }
  }

  /** Speed and turning over the last tenth of a second, and the delay, in the lanes. */
  private measure({ pose, seconds }: LivePose): void {
    const heading = headingOf(pose);
    const past = this.past.find((one) => seconds - one.seconds <= 0.12);
    this.past = [...this.past.filter((one) => seconds - one.seconds <= 0.12), { seconds, x: pose[0], z: pose[2], heading }];
    if (!past || seconds <= past.seconds) return;
    const passed = seconds - past.seconds;
    const turned = Math.atan2(Math.sin(heading - past.heading), Math.cos(heading - past.heading));
    this.place.lanes.live([
      { title: "Speed", unit: "m/s", ink: "--violet", least: 1, value: Math.hypot(pose[0] - past.x, pose[2] - past.z) / passed },
      { title: "Turning", unit: "°/s", ink: "--warm", least: 60, value: Math.abs((180 / Math.PI) * turned) / passed },
      { title: "Hips", unit: "m", ink: "--faint", least: 1.2, value: pose[1] },
      { title: "Delay", unit: "ms", ink: "--accent", least: 60, value: this.latency },
    ]);
  }

  private past: { seconds: number; x: number; z: number; heading: number }[] = [];

  key(event: KeyboardEvent): boolean {
    const key = event.key.toLowerCase();
    if (!this.began) return false;
    if (this.place.store.work.controller === "sequence") {
      const digit = /^Digit([1-9])$/.exec(event.code);
      return event.shiftKey && digit !== null && this.sequence.playNumber(Number(digit[1]));
    }
    if (this.place.store.work.controller === "graph") {
      if (key !== "n" && key !== "enter") return false;
      this.take();
      return true;
    }
    const digit = /^Digit([1-9])$/.exec(event.code);
    if (event.shiftKey && digit && Number(digit[1]) <= this.kinds.length) {
      this.choose(this.kinds[Number(digit[1]) - 1].name);
      return true;
    }
    if (key === "q" || key === "e") {
      this.chooseNext(key === "e" ? 1 : -1);
      return true;
    }
    if (!MOVES.has(key)) return false;
    this.held.add(key);
    this.held[event.shiftKey ? "add" : "delete"]("shift");
    if (this.way !== "keys") this.setWay("keys");
    this.steer();
    return true;
  }

  private get names(): string[] {
    const { work, project } = this.place.store;
    return chosenClips(project?.clips ?? [], work.search, work.tag).map((clip) => clip.name);
  }

  private begin(): void {
    const { store, link } = this.place;
    const { controller } = store.work;
    const graph = this.graph.number;
    if (controller === "graph" && !graph) {
      this.busy = "";
      this.draw();
      return;
    }
    this.busy = "beginning …";
    if (controller === "sequence") {
      void this.beginSequence();
      return;
    }
    const clips = controller === "graph" ? [] : this.names;
    if (!link.send({ type: "begin", controller, clips, graph, seed: store.work.seed })) {
      this.busy = "waiting for the server …";
    }
    this.draw();
  }

  private async beginSequence(): Promise<void> {
    const { store, link } = this.place;
    this.draw();
    try {
      const some = await this.sequence.load();
      const sent = some && link.send({ type: "begin", controller: "sequence", seed: store.work.seed, idle: this.sequence.idle });
      this.busy = !some ? "there are no elementary motions yet; the tab Sequence proposes some" : sent ? this.busy : "waiting for the server …";
    } catch (error) {
      fail(error);
      this.busy = "";
    }
    this.draw();
  }

  private async start(message: Began): Promise<void> {
    this.busy = "";
    this.began = message;
    this.kinds = message.kinds.map((name, k) => ({ name, slow: message.speeds[k][0], fast: message.speeds[k][1] }));
    this.chosen = "";
    this.sent = null;
    this.past = [];
    this.latency = this.rate = this.shown = 0;
    this.lastSecond = performance.now();
    this.times.clear();
    if (this.active) await this.place.view.begin(message.word);
    this.draw();
    (document.activeElement as HTMLElement | null)?.blur();
  }

  private end(): void {
    if (this.began) this.place.link.send({ type: "end" });
    this.began = null;
    this.busy = "";
    this.held.clear();
    this.pen.stop();
    if (this.place.view.mode === "live") this.place.view.empty();
  }

  private steer(): void {
    const { controller } = this.place.store.work;
    if (!this.began || this.way !== "keys" || controller === "graph" || controller === "sequence") return;
    const stick = stickOf(this.held);
    const { ahead, left, hurry } = this.stick;
    const wish = wishOf(this.kinds, stick.ahead || ahead, stick.left || left, Math.max(stick.hurry, hurry), this.chosen);
    if (sameWish(this.sent, wish)) return;
    this.sent = wish;
    this.number++;
    this.times.set(this.number, performance.now());
    this.place.link.send({ type: "steer", ...wish, number: this.number });
    this.drawLive();
  }

  private take(): void {
    if (this.place.link.send({ type: "take" })) tell("The nearest transition is taken.");
  }

  private choose(kind: string): void {
    this.chosen = this.chosen === kind ? "" : kind;
    if (this.way === "chase") this.lastTarget && this.chase(this.lastTarget);
    if (this.way === "path") this.path.ask(this.kinds, this.chosen);
    this.steer();
    this.draw();
  }

  /** The next type, or the one before; after the last none is kept, and speed chooses. */
  private chooseNext(step: 1 | -1): void {
    const names = ["", ...this.kinds.map((kind) => kind.name)];
    const index = (names.indexOf(this.chosen) + step + names.length) % names.length;
    this.choose(names[index] || this.chosen);
  }

  private setWay(way: "keys" | "chase" | "path"): void {
    this.way = way;
    this.pen.stop();
    this.path.clear();
    this.sent = null;
    if (way === "path") this.path.ask(this.kinds, this.chosen);
    if (way === "chase") this.pen.start();
    if (way === "keys") this.steer();
    this.draw();
  }

  private lastTarget: [number, number] | null = null;

  private pointed(event: PointerEvent): void {
    if (!this.active || !this.began || this.way !== "chase" || event.buttons) return;
    const place = floorAt(this.place.view.stage, event.clientX, event.clientY);
    if (place) this.chaseSoon(place);
  }

  private readonly chaseSoon = settled((place: [number, number]) => this.chase(place), 15);

  private chase(place: [number, number]): void {
    this.lastTarget = place;
    this.pen.target = place;
    this.place.link.send({ type: "chase", x: place[0], z: place[1], kind: this.chosen });
  }

  private pollPad(): void {
    if (!this.active) return;
    const state = this.pad.look();
    if (state) {
      const { ahead, left, hurry, pressed } = state;
      const walks = this.place.store.work.controller === "graph";
      if (this.began && walks && pressed.has("take")) this.take();
      if (this.began && !walks && pressed.has("next")) this.chooseNext(1);
      if (this.began && !walks && pressed.has("previous")) this.chooseNext(-1);
      if (Math.max(Math.abs(ahead), Math.abs(left)) > 0.3 && this.began && this.way !== "keys") this.setWay("keys");
      this.stick = { ahead, left, hurry };
      this.steer();
    }
    requestAnimationFrame(() => this.pollPad());
  }

  private draw(): void {
    if (!this.active) return;
    const { store, inspector } = this.place;
    const { controller } = store.work;
    const walks = controller === "graph";
    const plays = controller === "sequence";
    put(
      inspector,
      h("h2", {}, "Live character"),
      choice("Controller", CONTROLLERS, controller, (value) => {
        store.set({ controller: value as typeof controller });
        this.begin();
      }),
      this.busy ? h("p", { class: "waiting", role: "status" }, `${this.busy[0].toUpperCase()}${this.busy.slice(1)}`) : null,
      walks && !this.graph.number
        ? hint("Build a graph first: its walk is what goes on here.", h("button", { class: "primary", onclick: () => store.set({ tab: "graph" }) }, "To the graph"))
        : null,
      this.began ? this.live : null,
      this.began && walks
        ? section(
            "Commands",
            h("button", { class: "primary wide", onclick: () => this.take() }, "Take the nearest transition", h("kbd", {}, "N")),
            choice("Go to", [["", "anywhere"], ...this.began.sources.map((name) => [name, name] as const)], "", (clip) => this.place.link.send({ type: "goto", clip, stay: Boolean(clip) })),
          )
        : null,
      ...(this.began && plays ? this.sequence.rows() : []),
      this.began && !walks && !plays ? this.commands() : null,
      this.began
        ? section(
            "Run",
            h(
              "div",
              { class: "buttons" },
              h("button", { onclick: () => this.place.link.send({ type: "keep" }) }, "Keep the run"),
              h("button", { onclick: () => this.begin() }, "Begin again"),
            ),
          )
        : !this.busy && !(walks && !this.graph.number)
          ? h("button", { class: "primary wide", onclick: () => this.begin() }, plays ? "Begin" : `Begin with ${this.names.length} clips`)
          : null,
      this.runs.element,
    );
    this.drawLive();
  }

  private commands(): HTMLElement {
    const ways = (
      [
        ["keys", "Keys, gamepad"],
        ["chase", "Chase the pointer"],
        ["path", "Draw a path"],
      ] as const
    ).map(([way, title]) => h("button", { class: "tag", "aria-pressed": String(this.way === way), onclick: () => this.setWay(way) }, title));
    const draws = this.way === "path";
    const types = this.kinds.map((kind) => {
      const colour = gaitColour(this.kinds, kind.name, (kind.slow + kind.fast) / 2);
      return h(
        "button",
        { class: "tag", "aria-pressed": String(this.chosen === kind.name), title: `${kind.slow.toFixed(1)} to ${kind.fast.toFixed(1)} m/s`, onclick: () => this.choose(kind.name) },
        draws ? h("i", { class: "dot", style: `background:${colour}` }) : null,
        draws ? ` ${kind.name}` : kind.name,
      );
    });
    const keys: [string, string][] = [
      ["W ↑", "go"],
      ["A D ← →", "turn"],
      ["Shift", "faster"],
      ["Q E", "type"],
    ];
    return section(
      "Commands",
      h("div", { class: "tags" }, ...ways),
      h("div", { class: "tags" }, ...types),
      draws ? this.path.row() : null,
      h("div", { class: "keys" }, ...(this.way === "keys" ? keys : keys.slice(3)).map(([key, what]) => h("span", {}, h("kbd", {}, key), ` ${what}`))),
      this.way === "chase" ? h("p", { class: "fineprint" }, "The character runs to the pointer; how far it is says how fast. Q and E keep a type.") : null,
    );
  }

  private drawLive(): void {
    if (!this.began) return;
    this.sequence.passed();
    const source = this.began.sources[this.source];
    const dot = h("i", { class: "dot", style: `background:${this.source >= 0 ? sourceColour(this.source) : ink("--line")}` });
    put(
      this.live,
      this.began.sources.length ? fact("Plays", h("span", {}, dot, ` ${source ?? "–"}`)) : null,
      this.sent ? fact("Wanted", `${this.sent.kind} ${this.sent.speed.toFixed(1)} m/s, ${Math.round((180 / Math.PI) * this.sent.turn)}°/s`) : null,
      fact("Poses", `${Math.round(this.rate)} a second`),
      this.place.store.work.controller === "sequence" ? null : fact("Delay", this.latency ? `${this.latency.toFixed(0)} ms` : "press a key", this.latency && this.latency < 60 ? "good" : ""),
    );
  }
}
