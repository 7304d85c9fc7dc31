/** A motion of the list that is held by the pointer and let go over the timeline, or given up. */

import { h } from "./dom";
import { inkOn } from "./timeline_lanes";

const BEGINS = 5; // pixels after which a press is a drag

export interface DropPlace {
  /** The motion is held here; true where it would be placed. */
  carry(motion: string, event: PointerEvent): boolean;
  drop(): void;
  /** Nothing is placed, and everything is as before. */
  giveUp(): void;
}

interface Held {
  readonly motion: string;
  readonly x: number;
  readonly y: number;
  ghost: HTMLElement | null;
}

/** Whether a pointer that was pressed has begun to drag: a finger that goes up or down scrolls the list. */
export function begins(byX: number, byY: number, touch: boolean): boolean {
  return Math.hypot(byX, byY) >= BEGINS && (!touch || Math.abs(byX) > Math.abs(byY));
}

/** Let the rows of a list that carry `data-element` be dragged to a place. */
export function letDrag(rows: HTMLElement, place: DropPlace, colour: (motion: string) => string): void {
  let held: Held | null = null;
  const end = (): void => {
    held?.ghost?.remove();
    held = null;
    removeEventListener("keydown", escaped, true);
  };
  const escaped = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end();
    place.giveUp();
  };
  rows.addEventListener("dragstart", (event) => event.preventDefault()); // a browser would drag the picture
  rows.addEventListener("pointerdown", (event) => {
    const target = event.target as HTMLElement;
    const motion = target.closest<HTMLElement>("[data-element]")?.dataset["element"];
    if (event.button !== 0 || motion === undefined || target.closest(".pick")) return;
    held = { motion, x: event.clientX, y: event.clientY, ghost: null };
  });
  rows.addEventListener("pointermove", (event) => {
    if (!held) return;
    if (!held.ghost) {
      if (!event.buttons) return end();
      if (!begins(event.clientX - held.x, event.clientY - held.y, event.pointerType === "touch")) return;
      rows.setPointerCapture(event.pointerId); // from here on no row is clicked
      const paint = colour(held.motion);
      held.ghost = h("div", { class: "carried", style: `background:${paint};color:${inkOn(paint)}`, "aria-hidden": "true" }, held.motion);
      document.body.append(held.ghost);
      addEventListener("keydown", escaped, true);
    }
    held.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
    held.ghost.classList.toggle("over", place.carry(held.motion, event));
  });
  rows.addEventListener("pointerup", (event) => {
    const dragged = held?.ghost;
    const over = held !== null && dragged != null && place.carry(held.motion, event);
    end();
    if (over) place.drop();
    else if (dragged) place.giveUp();
  });
  rows.addEventListener("pointercancel", () => {
    const dragged = held?.ghost;
    end();
    if (dragged) place.giveUp();
  });
}
