/** The tab Steer: a live character, steered by keys, a gamepad, the pointer or a drawn path; or a walk of the graph. */

import type { BlankWords } from "./blank";
import { problem } from "./clips_tab";
import { capital, counted, h, put, settled } from "./dom";
import { choice, fact, hint, section } from "./fields";
import { Pad } from "./gamepad";
import type { GraphTab } from "./graph_tab";
import { GroundPen } from "./ground_pen";
import { LiveMeasures } from "./live_measures";
import { LiveSequence } from "./live_sequence";
import type { LivePose } from "./packed";
import { floorAt } from "./pick";
import { ink, sourceColour } from "./plot";
import { Runs } from "./runs";
import { commandRows, type SteeringWay } from "./steer_commands";
import { SteerPath } from "./steer_path";
import { sameWish, stickOf, wishOf, type Kind, type Wanted } from "./steering";
import { chosenClips } from "./store";
import type { Place, Tab } from "./tab";
import { sentenceOf, tell } from "./toast";
import type { Began, ToPage } from "./wire";

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
  private refused = ""; // reason why there is no character
  private active = false;
  private chosen = "";
  private sent: Wanted | null = null;
  private number = 0;
  private source = -1;
  private readonly measures: LiveMeasures;
  private way: SteeringWay = "keys";
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
    this.measures = new LiveMeasures(place.lanes);
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
    this.place.view.empty();
    this.pollPad();
    void this.runs.load();
    this.draw();
    if (!this.began) this.begin();
  }

  close(): void {
    this.active = false;
    this.end();
  }

  /** Message while something is awaited, else empty. */
  private get waits(): string {
    return this.busy && !this.place.link.open ? "waiting for the server" : this.busy;
  }

  blank(): BlankWords | null {
    if (this.waits) return { words: this.waits };
    if (this.refused) return { words: "There is no character; see the inspector for the reason" };
    const { controller } = this.place.store.work;
    if (controller === "graph" && !this.graph.number) return { words: "A graph lets a character walk for ever; build one first", way: { word: "To the graph", go: () => this.place.store.set({ tab: "graph" }) } };
    if (controller === "sequence" && this.sequence.none) return { words: "There are no elementary motions to play yet", way: { word: "Propose some", go: () => this.place.store.set({ tab: "sequence" }) } };
    return { words: "Begin a character on the right, and steer it here" };
  }

  /** Restart the character after a reconnection. */
  linked(): void {
    if (this.began || this.busy || this.refused) this.begin();
  }

  message(message: ToPage): void {
    if (message.type === "busy") this.busy = message.what;
    else if (message.type === "answers") this.sequence.told(message.answers);
    else if (message.type === "began") void this.start(message);
    else if (message.type === "refused") {
      if (this.began && !this.busy) tell(message.error, { bad: true });
      else this.refused = message.error;
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
    this.source = pose.source;
    const colour = pose.source >= 0 ? sourceColour(pose.source) : null;
    this.place.view.pose(pose, colour);
    if (this.measures.seen(pose)) this.drawLive();
  }

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
    this.refused = "";
    if (controller !== "sequence" && controller !== "graph" && !this.names.length) {
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
      this.busy = "waiting for the server";
    }
    this.draw();
  }

  private async beginSequence(): Promise<void> {
    const { store, link } = this.place;
    this.draw();
    try {
      const some = await this.sequence.load();
      const sent = some && link.send({ type: "begin", controller: "sequence", seed: store.work.seed, idle: this.sequence.idle });
      this.busy = !some ? "" : sent ? this.busy : "waiting for the server";
    } catch (error) {
      this.refused = sentenceOf(error);
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
    this.measures.begin();
    if (this.active) await this.place.view.begin(message.word);
    this.draw();
    (document.activeElement as HTMLElement | null)?.blur();
  }

  private end(): void {
    if (this.began) this.place.link.send({ type: "end" });
    this.began = null;
    this.busy = this.refused = "";
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
    this.measures.asked(this.number);
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

  /** Select the next or previous type; after the last, none is fixed, and the speed selects the type. */
  private chooseNext(step: 1 | -1): void {
    const names = ["", ...this.kinds.map((kind) => kind.name)];
    const index = (names.indexOf(this.chosen) + step + names.length) % names.length;
    this.choose(names[index] || this.chosen);
  }

  private setWay(way: SteeringWay): void {
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
      this.busy ? h("p", { class: "waiting", role: "status" }, capital(this.waits)) : null,
      walks && !this.graph.number
        ? hint("Build a graph first: its walk is what goes on here.", h("button", { class: "primary", onclick: () => store.set({ tab: "graph" }) }, "To the graph"))
        : null,
      this.refused ? problem(this.refused, () => this.begin()) : null,
      this.began ? this.live : null,
      this.began && walks
        ? section(
            "Commands",
            h("button", { class: "primary wide", onclick: () => this.take() }, "Take the nearest transition", h("kbd", {}, "N")),
            choice("Go to", [["", "anywhere"], ...this.began.sources.map((name) => [name, name] as const)], "", (clip) => this.place.link.send({ type: "goto", clip, stay: Boolean(clip) })),
          )
        : null,
      ...(this.began && plays ? this.sequence.rows() : []),
      this.began && !walks && !plays
        ? commandRows(
            { kinds: this.kinds, chosen: this.chosen, way: this.way, pathRow: this.way === "path" ? this.path.row() : null },
            { way: (way) => this.setWay(way), kind: (kind) => this.choose(kind) },
          )
        : null,
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
        : !this.busy && !this.refused && (walks ? this.graph.number : plays ? !this.sequence.none : this.names.length)
          ? h("button", { class: "primary wide", onclick: () => this.begin() }, plays ? "Begin" : `Begin with ${counted(this.names.length, "clip")}`)
          : null,
      this.runs.element,
    );
    this.drawLive();
    this.place.blank();
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
      ...this.measures.facts(this.place.store.work.controller !== "sequence"),
    );
  }
}
