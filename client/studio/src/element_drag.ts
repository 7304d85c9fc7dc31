/** Drag of a motion from the list to the timeline, which may be cancelled. */

import { h } from "./dom";
import { inkOn } from "./timeline_lanes";

const BEGINS = 5; // pixels of movement from which a press is a drag

export interface DropPlace {
  /** Follow the dragged motion; return true where it would be placed. */
  carry(motion: string, event: PointerEvent): boolean;
  drop(): void;
  /** Cancel the drag; nothing is placed. */
  giveUp(): void;
}

interface Held {
  readonly motion: string;
  readonly x: number;
  readonly y: number;
  ghost: HTMLElement | null;
}

/** Return whether a pressed pointer has begun to drag; a finger that moves up or down scrolls the list. */
export function begins(byX: number, byY: number, touch: boolean): boolean {
  return Math.hypot(byX, byY) >= BEGINS && (!touch || Math.abs(byX) > Math.abs(byY));
}

/** Make the rows of a list with `data-element` draggable to a place. */
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
  rows.addEventListener("dragstart", (event) => event.preventDefault()); // otherwise the browser drags the picture
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
      rows.setPointerCapture(event.pointerId); // from here on no row receives a click
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
