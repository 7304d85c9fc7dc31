/** Keys of the tab Sequence. */

export type SequenceAction = "remove" | "again" | "leave" | "nearer" | "farther" | "all" | "measures" | "search" | "undo" | "redo";

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const PLAIN: Readonly<Record<string, SequenceAction>> = {
  Delete: "remove",
  Backspace: "remove",
  Escape: "leave",
  "+": "nearer",
  "=": "nearer",
  "-": "farther",
  z: "all",
  m: "measures",
  "/": "search",
};

/** Return the action of a key; null if it is not for this tab. */
export function actionOf({ key, ctrlKey, metaKey, shiftKey }: Pressed): SequenceAction | null {
  if (!ctrlKey && !metaKey) return PLAIN[key] ?? null;
  const small = key.toLowerCase();
  if (small === "z") return shiftKey ? "redo" : "undo";
  return small === "y" ? "redo" : small === "d" ? "again" : null;
}

/** Return the frames by which a key moves the selected motion: an arrow key with the focus on it, or with Alt anywhere; else 0. */
export function stepOf(event: Pressed & { readonly target: unknown }): number {
  const on = event.altKey || (event.target instanceof HTMLElement && event.target.classList.contains("tl-block"));
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  return on && !event.ctrlKey && !event.metaKey ? way * (event.shiftKey ? 10 : 1) : 0;
}
