/** The timeline along the bottom: motions that can be dragged, and below them the lanes of the sequence. */

import { h, icon, put, type IconName } from "./dom";
import { drawFeet, drawHalf, drawRuler, inkOn, type Colours } from "./timeline_lanes";
import { carriedScript, draggedScript, type Around, type Dragged, type Grasp } from "./timeline_drag";
import { blocksOf, bounded, fitted, freshId, hit, zoomed, type Arranged, type Block, type Scale, type Script } from "./timeline_model";
import type { ElementView } from "./wire";

const REACH = 6; // pixels within which a handle is grabbed
const FIRST = 14; // maximum number of seconds shown at first

export interface TimelineEvents {
  /** The script changed: during a drag (`done` false), and on release. */
  edited(script: Script, done: boolean): void;
  chosen(id: number | null): void;
  seek(clock: number): void;
  undo(): void;
  redo(): void;
}

interface Drag extends Grasp {
  readonly x: number;
  moved: boolean;
}

export class Timeline {
  readonly element: HTMLElement;
  script: Script | null = null;
  made: Arranged | null = null;
  chosen: number | null = null;
  elements: ReadonlyMap<string, ElementView> = new Map();
  blocks: Block[] = [];
  private scale: Scale = { from: 0, pixels: 80 };
  private placed = false;
  private clock = 0;
  private drag: Drag | null = null;
  /** A motion of the list that is dragged over the lanes, and the state before. */
  private carried: { readonly id: number; readonly script: Script; readonly chosen: number | null } | null = null;
  private readonly ruler = h("canvas", { class: "tl-ruler", title: "Drag: time. Wheel: move; with Ctrl: zoom" });
  private readonly motions = h("div", { class: "tl-motions tl-lane", role: "list", "aria-label": "motions" });
  private readonly upper = h("canvas", { class: "tl-lane" });
  private readonly lower = h("canvas", { class: "tl-lane" });
  private readonly feet = h("canvas", { class: "tl-lane" });
  private readonly cursor = h("div", { class: "cursor", "aria-hidden": "true" });
  private readonly mark = h("div", { class: "tl-mark", "aria-hidden": "true", hidden: true });
  private readonly notice = h("div", { class: "tl-notice" });
  private readonly undo = this.tool("undo", "Undo (Ctrl Z)", () => this.events.undo());
  private readonly redo = this.tool("redo", "Redo (Ctrl Shift Z)", () => this.events.redo());

  constructor(
    private readonly colours: Colours,
    private readonly events: TimelineEvents,
  ) {
    const tools = h(
      "div",
      { class: "tl-tools", role: "toolbar", "aria-label": "timeline" },
      this.undo,
      this.redo,
      this.tool("minus", "Farther (−)", () => this.zoom(1 / 1.4)),
      this.tool("plus", "Nearer (+)", () => this.zoom(1.4)),
      this.tool("fit", "All of it (Z)", () => this.fit()),
    );
    const label = (text: string, title: string): HTMLElement => h("span", { class: "tl-label", title }, text);
    this.element = h(
      "section",
      { class: "lanes timeline", "aria-label": "timeline" },
      tools,
      this.ruler,
      label("Motions", "Drag a motion in time; the ends of the chosen one's core are handles"),
      this.motions,
      label("Upper body", "What arms, trunk and head show; curves are the weight of the following motion"),
      this.upper,
      label("Lower body", "What pelvis and legs show; a dotted line is a foothold that is kept"),
      this.lower,
      label("Feet", "When the left (orange) and the right foot (blue) move"),
      this.feet,
      h("div", { class: "tl-over" }, this.mark, this.cursor),
      this.notice,
    );
    this.motions.addEventListener("pointerdown", this.pressed);
    this.motions.addEventListener("pointermove", this.hovered);
    for (const canvas of [this.ruler, this.upper, this.lower, this.feet]) canvas.addEventListener("pointerdown", this.scrubbed);
    this.element.addEventListener("wheel", this.wheeled, { passive: false });
    new ResizeObserver(() => this.choose(this.chosen)).observe(this.motions);
  }

  private tool(name: IconName, title: string, go: () => void): HTMLButtonElement {
    return h("button", { class: "bare", "aria-label": title, title, onclick: go }, icon(name, 14));
  }

  // ---- what is shown

  show(script: Script | null, made: Arranged | null, { undo, redo }: { undo: boolean; redo: boolean }): void {
    const begins = !this.placed || script?.name !== this.script?.name;
    if (!this.dragging) this.script = script;
    this.made = made;
    this.undo.disabled = !undo;
    this.redo.disabled = !redo;
    this.layOut();
    if (begins && this.blocks.length && this.width > 50) {
      this.placed = true;
      const [from, to] = this.extent;
      this.scale = fitted(from, Math.min(to, from + FIRST), this.width);
    }
    this.draw();
  }

  /** Show a message in place of motions. */
  say(...words: (Node | string)[]): void {
    put(this.notice, ...words);
    this.notice.hidden = !words.length;
  }

  setClock(clock: number, follow: boolean): void {
    this.clock = clock;
    const x = (clock - this.scale.from) * this.scale.pixels;
    if (follow && !this.drag && this.width > 50 && (x < 0 || x > this.width)) {
      this.scale = bounded({ ...this.scale, from: clock - 0.1 * (this.width / this.scale.pixels) }, ...this.extent, this.width);
      this.draw();
      return;
    }
    this.cursor.hidden = x < 0 || x > this.width || !this.blocks.length;
    this.cursor.style.left = `${x}px`;
  }

  choose(id: number | null): void {
    this.chosen = id;
    const block = this.blocks.find((one) => one.id === id);
    if (block) this.reveal(block);
    this.draw();
  }

  get dragging(): boolean {
    return this.drag !== null || this.carried !== null;
  }

  private get width(): number {
    return this.motions.clientWidth;
  }

  private get extent(): [number, number] {
    return [Math.min(0, ...this.blocks.map((block) => block.begin)), Math.max(1, ...this.blocks.map((block) => block.end))];
  }

  private layOut(): void {
    this.blocks = this.script ? blocksOf(this.script, this.made, this.elements) : [];
  }

  private reveal(block: Block): void {
    const shown = this.width / this.scale.pixels;
    if (block.core[0] >= this.scale.from && block.core[1] <= this.scale.from + shown) return;
    this.scale = bounded({ ...this.scale, from: block.begin - 0.2 * shown }, ...this.extent, this.width);
  }

  zoom(factor: number, x = this.width / 2): void {
    this.scale = bounded(zoomed(this.scale, factor, x), ...this.extent, this.width);
    this.draw();
  }

  fit(): void {
    this.scale = fitted(...this.extent, this.width);
    this.draw();
  }

  draw(): void {
    if (!this.element.isConnected) return;
    const view = this.made?.view ?? null;
    drawRuler(this.ruler, this.scale);
    drawHalf(this.upper, this.scale, view, "upper", this.colours);
    drawHalf(this.lower, this.scale, view, "lower", this.colours);
    drawFeet(this.feet, this.scale, view);
    this.drawMotions();
    this.setClock(this.clock, false);
  }

  /** Draw one element a motion; elements are reused when motions move, so that the focus is kept. */
  private drawMotions(): void {
    const old = new Map([...this.motions.children].map((child) => [Number((child as HTMLElement).dataset["id"]), child as HTMLElement]));
    const shown: HTMLElement[] = [];
    this.blocks.forEach((block, k) => {
      const left = this.px(block.begin);
      const right = this.px(block.end);
      const near = right > -40 && left < this.width + 40;
      if (!near && block.id !== this.chosen) return;
      const element = old.get(block.id) ?? this.blockElement(block.id);
      this.dress(element, block, k);
      shown.push(element);
    });
    const same = shown.length === this.motions.children.length && shown.every((one, k) => this.motions.children[k] === one);
    if (!same) {
      const focus = document.activeElement as HTMLElement | null;
      this.motions.replaceChildren(...shown);
      if (focus && shown.includes(focus)) focus.focus();
    }
  }

  private px(at: number): number {
    return (at - this.scale.from) * this.scale.pixels;
  }

  private blockElement(id: number): HTMLElement {
    const element = h("button", { class: "tl-block", role: "listitem", "data-id": id }, h("i", { class: "tl-core" }), h("span", {}));
    element.addEventListener("focus", () => {
      if (!this.drag && this.chosen !== id && element.matches(":focus-visible")) this.events.chosen(id);
    });
    return element;
  }

  private dress(element: HTMLElement, block: Block, order: number): void {
    const { style } = element;
    const [left, wide] = [this.px(block.begin), Math.max((block.end - block.begin) * this.scale.pixels, 4)];
    const colour = this.colours(block.motion);
    const chosen = block.id === this.chosen;
    style.left = `${left}px`;
    style.width = `${wide}px`;
    style.zIndex = String(chosen ? 900 : Math.min(order, 800));
    style.setProperty("--block", colour);
    style.setProperty("--block-ink", inkOn(colour));
    element.classList.toggle("rejected", block.reason !== "");
    element.setAttribute("aria-pressed", String(chosen));
    const words = `${block.motion}, core ${block.core[0].toFixed(2)} to ${block.core[1].toFixed(2)} s`;
    element.setAttribute("aria-label", block.reason ? `${words}, rejected: ${block.reason}` : words);
    element.title = block.reason ? `${block.motion} is rejected: ${block.reason}` : words;
    const [core, name] = element.children as unknown as [HTMLElement, HTMLElement];
    core.style.left = `${(block.core[0] - block.begin) * this.scale.pixels}px`;
    core.style.width = `${Math.max((block.core[1] - block.core[0]) * this.scale.pixels, 2)}px`;
    const next = this.blocks[order + 1];
    const room = next && !chosen ? this.px(next.begin) - left : wide;
    const over = this.blocks.find((one) => one.id === this.chosen && one.begin <= block.begin && one.end > block.begin);
    const hidden = Math.max(-left, over && !chosen ? this.px(over.end) - left : 0, 0); // under the selected motion, or left of the lane
    name.style.marginLeft = `${hidden}px`;
    name.style.maxWidth = `${Math.max(Math.min(room, wide) - hidden - 8, 0)}px`;
    if (name.textContent !== block.motion) name.textContent = block.motion;
  }

  // ---- pointer

  private at(event: { clientX: number }): number {
    return this.scale.from + (event.clientX - this.motions.getBoundingClientRect().left) / this.scale.pixels;
  }

  private readonly hovered = (event: PointerEvent): void => {
    if (this.drag) return;
    const found = hit(this.blocks, this.at(event), REACH / this.scale.pixels, this.chosen);
    this.motions.style.cursor = !found ? "default" : found.part === "body" ? "grab" : "ew-resize";
  };

  private readonly pressed = (event: PointerEvent): void => {
    if (event.button !== 0 || !this.script) return;
    const found = hit(this.blocks, this.at(event), REACH / this.scale.pixels, this.chosen);
    if (!found) {
      this.events.chosen(null);
      this.scrubbed(event);
      return;
    }
    const block = this.blocks.find((one) => one.id === found.id);
    if (!block) return;
    event.preventDefault();
    this.motions.setPointerCapture(event.pointerId);
    this.drag = { ...found, x: event.clientX, block, script: this.script, moved: false };
    if (this.chosen !== found.id) this.events.chosen(found.id);
    (this.motions.querySelector(`[data-id="${found.id}"]`) as HTMLElement | null)?.focus({ preventScroll: true });
    this.motions.addEventListener("pointermove", this.dragged);
    this.motions.addEventListener("pointerup", this.dropped, { once: true });
    this.motions.addEventListener("pointercancel", this.cancelled, { once: true });
  };

  private readonly dragged = (event: PointerEvent): void => {
    const { drag } = this;
    if (!drag || (!drag.moved && Math.abs(event.clientX - drag.x) < 3)) return;
    drag.moved = true;
    this.motions.style.cursor = drag.part === "body" ? "grabbing" : "ew-resize";
    this.follow(draggedScript(drag, (event.clientX - drag.x) / this.scale.pixels, this.around(event.altKey)));
  };

  private around(free: boolean): Around {
    return { blocks: this.blocks, elements: this.elements, clock: this.clock, pixels: this.scale.pixels, free };
  }

  /** Show the result of a drag, and update the stage. */
  private follow({ script, mark }: Dragged): void {
    this.mark.hidden = mark === null;
    if (mark !== null) this.mark.style.left = `${this.px(mark)}px`;
    if (script === this.script) return;
    this.script = script;
    this.layOut();
    this.draw();
    this.events.edited(script, false);
  }

  private readonly dropped = (): void => {
    const { drag } = this;
    this.letGo();
    if (drag?.moved && this.script) this.events.edited(this.script, true);
  };

  private readonly cancelled = (): void => {
    const { drag } = this;
    this.letGo();
    if (drag) this.events.edited(drag.script, true);
  };

  private letGo(): void {
    this.drag = null;
    this.mark.hidden = true;
    this.motions.style.cursor = "grab";
    this.motions.removeEventListener("pointermove", this.dragged);
  }

  /** Cancel a drag and restore the state before. */
  escape(): boolean {
    if (!this.dragging) return false;
    if (this.carried) this.carriedAway();
    else this.cancelled();
    return true;
  }

  /** Place a motion that is dragged from the list, if the pointer is over the lanes; return whether it is. */
  carry(motion: string, point: { readonly clientX: number; readonly clientY: number; readonly altKey: boolean }): boolean {
    const [top, bottom] = [this.ruler.getBoundingClientRect(), this.feet.getBoundingClientRect()];
    const over = point.clientX >= top.left && point.clientX <= top.right && point.clientY >= top.top && point.clientY <= bottom.bottom;
    if (!over || !this.script || !this.elements.has(motion)) {
      this.carriedAway();
      return false;
    }
    this.carried ??= { id: freshId(), script: this.script, chosen: this.chosen };
    const { id, script } = this.carried;
    this.chosen = id;
    this.follow(carriedScript(script, { id, motion }, this.at(point), this.around(point.altKey)));
    return true;
  }

  /** Drop the dragged motion at its place. */
  drop(): void {
    const { script } = this;
    if (!this.carried || !script) return;
    this.carried = null;
    this.letGo();
    this.events.edited(script, true);
  }

  private carriedAway(): void {
    const { carried } = this;
    if (!carried) return;
    this.carried = null;
    this.letGo();
    this.chosen = carried.chosen;
    this.follow({ script: carried.script, mark: null });
  }

  private readonly scrubbed = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const seek = (one: PointerEvent): void => this.events.seek(this.at(one));
    seek(event);
    target.addEventListener("pointermove", seek);
    target.addEventListener("pointerup", () => target.removeEventListener("pointermove", seek), { once: true });
  };

  private readonly wheeled = (event: WheelEvent): void => {
    event.preventDefault();
    const x = event.clientX - this.motions.getBoundingClientRect().left;
    if (event.ctrlKey || event.metaKey) {
      this.zoom(Math.exp(-0.0022 * event.deltaY), x);
      return;
    }
    const by = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) / this.scale.pixels;
    this.scale = bounded({ ...this.scale, from: this.scale.from + by }, ...this.extent, this.width);
    this.draw();
  };
}
