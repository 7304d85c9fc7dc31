/** The player: stages in step with one clock, transport, lanes and the list of seams. */

import {
  THEMES,
  createStage,
  poseSize,
  samplePose,
  type Character,
  type Stage,
  type ThemeName,
} from "../../stage/src/index";
import { Clock, SPEEDS, timeText } from "./clock";
import { h, icon, type IconName } from "./dom";
import { seamAt, type Film, type Reel } from "./film";
import { Help, listen } from "./keys";
import { Lanes } from "./lanes";

/** Times of onion skins relative to now, in seconds. */
const SKINS = [-0.5, -0.25, 0.25, 0.5];

interface Seat {
  readonly reel: Reel;
  readonly stage: Stage;
  readonly character: Character;
  readonly pose: Float32Array;
  readonly badge: HTMLElement;
  /** Buffer for the poses of onion skins, and their colours. */
  readonly poses: Float32Array;
  readonly skins: readonly { readonly colour: string; readonly amount: number }[];
  seam: number;
}

export class Player {
  readonly element: HTMLElement;
  readonly clock: Clock;
  onion = false;
  trails = true;
  planted = true;
  private readonly seats: Seat[] = [];
  private readonly lanes: Lanes;
  private readonly help = new Help();
  private readonly play: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly time = h("b");
  private readonly frames = h("span", { class: "frames" });
  private readonly toggles = new Map<string, HTMLButtonElement>();
  private readonly seamButtons: HTMLButtonElement[] = [];
  private request = 0;
  private last = 0;

  constructor(
    readonly film: Film,
    readonly reels: readonly Reel[],
    private theme: ThemeName,
    private readonly themed: (theme: ThemeName) => void,
  ) {
    const longest = reels.reduce((a, b) => (b.seconds > a.seconds ? b : a));
    this.clock = new Clock(longest.seconds, longest.motion.fps);
    this.lanes = new Lanes(reels, this.clock, this.refresh);
    this.play = this.button("play", "Play", () => this.togglePlay(), "play");
    this.speed = this.speeds();
    this.element = h(
      "div",
      { class: "player" },
      this.header(),
      this.stages(),
      this.seamList(),
      this.transport(),
      this.lanes.element,
      this.help.element,
    );
  }

  /** Create the stages; the element must be in a document. */
  start(): void {
    for (const seat of this.seats) this.dress(seat);
    const stages = this.seats.map(({ stage }) => stage);
    for (const stage of stages) stage.linkCameras(stages);
    listen(this.element, this);
    this.refresh();
  }

  /** Free all resources. */
  stop(): void {
    this.clock.playing = false;
    cancelAnimationFrame(this.request);
    for (const { stage } of this.seats) stage.dispose();
  }

  /** Return the world positions of all joints at a time as drawn by the stage, 3 numbers a joint. */
  worldPositions(motion: number, seconds: number): number[] {
    this.clock.playing = false;
    this.clock.seek(seconds);
    this.refresh();
    const { stage, character, reel } = this.seats[motion];
    return reel.told.motion.joints
      ? reel.body.skeleton.names.flatMap((_, joint) => stage.jointPosition(character, joint))
      : [];
  }

  // ---- functions of keys and buttons

  togglePlay(): void {
    this.clock.toggle();
    this.last = 0;
    this.refresh();
  }

  step(frames: number): void {
    this.clock.step(frames);
    this.refresh();
  }

  seek(seconds: number): void {
    this.clock.seek(seconds);
    this.refresh();
  }

  /** Go to the next (1) or previous (-1) seam. */
  toSeam(way: 1 | -1): void {
    const times = this.reels.flatMap(({ told, motion }) => told.seams.map((seam) => seam.frame / motion.fps));
    times.sort((a, b) => a - b);
    const now = this.clock.seconds;
    const found = way > 0 ? times.find((at) => at > now + 0.02) : times.findLast((at) => at < now - 0.02);
    if (found !== undefined) this.seek(found);
  }

  shiftSpeed(by: -1 | 1): void {
    this.clock.shift(by);
    this.refresh();
  }

  setRangeEnd(end: "from" | "to"): void {
    const { clock } = this;
    if (end === "from") clock.setRange(clock.seconds, Math.max(clock.to, clock.seconds));
    else clock.setRange(Math.min(clock.from, clock.seconds), clock.seconds);
    this.refresh();
  }

  wholeRange(): void {
    this.clock.wholeRange();
    this.refresh();
  }

  toggle(name: "loop" | "trails" | "feet" | "onion" | "follow" | "theme"): void {
    if (name === "loop") this.clock.looping = !this.clock.looping;
    if (name === "trails") this.trails = !this.trails;
    if (name === "feet") this.planted = !this.planted;
    if (name === "onion") this.onion = !this.onion;
    if (name === "theme") this.themed(this.theme === "dark" ? "light" : "dark");
    for (const { stage } of this.seats) {
      if (name === "follow") stage.setCameraMode(stage.cameraMode === "follow" ? "orbit" : "follow");
      stage.showTrails(this.trails);
      stage.showPlants(this.planted);
    }
    this.refresh();
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    for (const { stage } of this.seats) stage.setTheme(theme);
  }

  turn(heading: number, rise: number): void {
    this.seats[0]?.stage.turnCamera(heading, rise);
  }

  zoom(factor: number): void {
    this.seats[0]?.stage.zoomCamera(factor);
  }

  resetCamera(): void {
    for (const { stage } of this.seats) {
      stage.setCameraMode("follow");
      stage.resetCamera();
    }
    this.refresh();
  }

  toggleHelp(): void {
    this.help.toggle();
  }

  // ---- showing

  private readonly tick = (now: number): void => {
    this.request = 0;
    if (this.last) this.clock.tick((now - this.last) / 1000);
    this.last = now;
    if (!this.clock.playing) return this.refresh();
    this.advance();
    this.request = requestAnimationFrame(this.tick);
  };

  /** Update the parts that change during playback; nothing is allocated but the text of the clock. */
  private advance(): void {
    for (let k = 0; k < this.seats.length; k++) this.show(this.seats[k]);
    this.lanes.update();
    this.time.textContent = timeText(this.clock.seconds);
    this.frames.textContent = ` · frame ${this.clock.frame}`;
  }

  /** Update everything after any change of state. */
  private readonly refresh = (): void => {
    const { clock } = this;
    this.advance();
    this.play.replaceChildren(icon(clock.playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    this.speed.value = String(clock.speed);
    const follow = this.seats[0]?.stage?.cameraMode !== "orbit";
    const pressed = { loop: clock.looping, trails: this.trails, feet: this.planted, onion: this.onion, follow };
    for (const [name, on] of Object.entries(pressed)) {
      this.toggles.get(name)?.setAttribute("aria-pressed", String(on));
    }
    if (clock.playing && !this.request) this.request = requestAnimationFrame(this.tick);
  };

  private show(seat: Seat): void {
    const { reel, stage, character, pose } = seat;
    if (!stage) return;
    const { motion, told } = reel;
    const seconds = Math.min(this.clock.seconds, reel.seconds);
    samplePose(motion, seconds, pose);
    stage.setPose(character, pose);
    stage.setClock(seconds);
    const place = seconds * motion.fps;
    const a = Math.floor(place);
    const b = Math.min(a + 1, motion.frames - 1);
    const part = place - a;
    const { path } = reel;
    const x = path[3 * a] + part * (path[3 * b] - path[3 * a]);
    const y = path[3 * a + 1] + part * (path[3 * b + 1] - path[3 * a + 1]);
    const z = path[3 * a + 2] + part * (path[3 * b + 2] - path[3 * a + 2]);
    stage.setGoal(x, y, z);
    const seam = seamAt(told.seams, place);
    if (seam !== seat.seam) this.enterSeam(seat, seam);
    this.showSkins(seat, seconds);
  }

  private enterSeam(seat: Seat, seam: number): void {
    const { stage, character, badge, reel } = seat;
    this.seamButtons[seat.seam]?.classList.remove("now");
    seat.seam = seam;
    stage.setTint(character, seam < 0 ? null : stage.colours.blend, 1);
    badge.classList.toggle("shown", seam >= 0);
    if (seam < 0) return;
    const { from, to } = reel.told.seams[seam];
    badge.textContent = from === to ? `seam ${seam + 1}: within ${from}` : `seam ${seam + 1}: ${from} → ${to}`;
    const button = this.seats.length === 1 ? this.seamButtons[seam] : undefined;
    button?.classList.add("now");
    button?.scrollIntoView({ block: "nearest" });
  }

  private showSkins(seat: Seat, seconds: number): void {
    const { stage, character, reel } = seat;
    if (!this.onion) return stage.setOnion(character, null);
    const size = poseSize(reel.motion.joints);
    const { skins, poses } = seat;
    for (let n = 0; n < SKINS.length; n++) samplePose(reel.motion, seconds + SKINS[n], poses, n * size);
    stage.setOnion(character, poses, skins);
  }

  private dress(seat: Seat): void {
    const { reel } = seat;
    const canvas = this.element.querySelectorAll("canvas")[this.seats.indexOf(seat)];
    const stage = createStage(canvas, { theme: this.theme, floor: reel.told.floor });
    const character = stage.addCharacter(reel.body);
    stage.setTrails(character, reel.trails);
    stage.setPlants(character, reel.plants);
    stage.setSeams(character, reel.seamPlaces);
    stage.setLeastDistance(reel.reach);
    Object.assign(seat, { stage, character });
  }

  // ---- the page

  private header(): HTMLElement {
    const note = this.reels.length === 1 ? this.reels[0].told.note : "two motions in step";
    return h(
      "header",
      {},
      h("span", { class: "mark" }, "segue"),
      h("span", { class: "title", title: this.film.title }, this.film.title),
      h("span", { class: "note" }, note),
      this.button("theme", "Dark or light (X)", () => this.toggle("theme"), "quiet"),
      this.button("help", "Keys (?)", () => this.toggleHelp(), "quiet"),
    );
  }

  private stages(): HTMLElement {
    const made = h("div", { class: "stages" });
    this.reels.forEach((reel, k) => {
      const { name, note } = reel.told;
      const badge = h("div", { class: "badge", role: "status" });
      const several = this.reels.length > 1;
      const caption = several ? h("figcaption", {}, h("b", {}, `${"ABCD"[k] ?? k + 1}  ${name}`), h("span", {}, note)) : null;
      const canvas = h("canvas", { "aria-label": `${name}, moving`, role: "img" });
      made.append(h("figure", {}, canvas, caption, badge));
      this.seats.push({
        reel,
        badge,
        seam: -1,
        pose: new Float32Array(poseSize(reel.motion.joints)),
        poses: new Float32Array(SKINS.length * poseSize(reel.motion.joints)),
        skins: SKINS.map((away) => ({
          colour: THEMES.dark[away < 0 ? "before" : "after"],
          amount: Math.abs(away) > 0.3 ? 0.3 : 0.5,
        })),
      } as unknown as Seat);
    });
    return made;
  }

  private seamList(): HTMLElement | null {
    const all = this.reels.flatMap((reel) => reel.told.seams.map((seam) => ({ seam, fps: reel.motion.fps })));
    if (!all.length) return null;
    const list = h("ol");
    for (const { seam, fps } of all) {
      const frames = seam.stop - seam.start;
      const button = h(
        "button",
        { type: "button" },
        h("time", {}, timeText(seam.frame / fps)),
        h("span", { class: "names" }, seam.from === seam.to ? seam.from : `${seam.from} → ${seam.to}`),
        h("span", { class: "length" }, frames ? `blended over ${(frames / fps).toFixed(2)} s` : "cut"),
      );
      button.addEventListener("click", () => this.seek(seam.frame / fps));
      this.seamButtons.push(button);
      list.append(h("li", {}, button));
    }
    return h("aside", { "aria-label": "Seams" }, h("h2", {}, "Seams", h("span", {}, String(all.length))), list);
  }

  private transport(): HTMLElement {
    const total = h("span", {}, ` / ${timeText(this.clock.length)}`);
    return h(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "Playback" },
      h(
        "div",
        { class: "group" },
        this.button("back", "One frame back (←)", () => this.step(-1)),
        this.play,
        this.button("next", "One frame on (→)", () => this.step(1)),
      ),
      h("div", { class: "clock" }, this.time, total, this.frames),
      this.speed,
      this.switch("loop", "Loop", "Go round (L)"),
      h("div", { class: "spring" }),
      h(
        "div",
        { class: "group" },
        this.switch("trails", "Trails", "Ways of feet and hands (T)"),
        this.switch("feet", "Feet", "Planted feet (P)"),
        this.switch("onion", "Onion", "Onion skins (O)"),
        this.switch("follow", "Follow", "Camera follows (F)"),
      ),
    );
  }

  private speeds(): HTMLSelectElement {
    const made = h("select", { "aria-label": "Speed" });
    for (const speed of SPEEDS) made.append(h("option", { value: String(speed) }, `${speed}×`));
    made.addEventListener("change", () => {
      this.clock.speed = Number(made.value);
      this.refresh();
    });
    return made;
  }

  private switch(
    name: "loop" | "trails" | "feet" | "onion" | "follow",
    words: string,
    label: string,
  ): HTMLButtonElement {
    const made = this.button(name, label, () => this.toggle(name));
    made.append(h("span", { class: "words" }, words));
    this.toggles.set(name, made);
    return made;
  }

  private button(name: IconName, label: string, act: () => void, kind = ""): HTMLButtonElement {
    const made = h("button", { type: "button", "aria-label": label, title: label, class: kind }, icon(name));
    made.addEventListener("click", act);
    return made;
  }
}
