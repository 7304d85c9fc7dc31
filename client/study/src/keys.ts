/** Keys of the answers, and labels of the choices. */

/** Return the keys of choices: a number is its own key, others are counted from 1; two choices also have the arrow keys. */
export function keysOf(choices: readonly string[]): Map<string, string> {
  const numbers = choices.every((choice) => /^\d$/.test(choice));
  const keys = new Map(choices.map((choice, k) => [numbers ? choice : String(k + 1), choice]));
  if (choices.length === 2 && !numbers) {
    keys.set("ArrowLeft", choices[0] as string);
    keys.set("ArrowRight", choices[1] as string);
  }
  return keys;
}

/** Return the label of a choice: for two pairs, `first` is the first pair. */
export function shownChoice(choice: string, kind: string): string {
  if (choice !== "first" && choice !== "second") return choice;
  const word = choice === "first" ? "First" : "Second";
  return kind === "jnd" ? `${word} pair` : kind === "preference" ? `${word} motion` : word;
}

/** Return the label of a motion while it plays: its pair, if there are pairs, and its place in it. */
export function placeWord(shown: readonly (readonly number[])[], group: number, at: number): string {
  const order = ["First", "Second", "Third", "Fourth"];
  const pairs = shown.some((one) => one.length > 1);
  if (pairs) return `${order[group]} pair, ${(order[at] ?? "").toLowerCase()} motion`;
  return shown.length > 1 ? `${order[group]} motion` : "";
}
