/** Commands to a character from keys and a gamepad. */

export interface Wanted {
  readonly kind: string;
  readonly speed: number;
  readonly turn: number;
}

export interface Kind {
  readonly name: string;
  readonly slow: number;
  readonly fast: number;
}

/** Sort types by speed: standing, the slowest that moves, and the fastest. */
export function gaits(kinds: readonly Kind[]): { stand: Kind | null; slow: Kind | null; fast: Kind | null } {
  const stand = kinds.find((kind) => kind.name === "stand") ?? null;
  const moving = kinds.filter((kind) => kind !== stand).sort((one, other) => one.slow - other.slow);
  return { stand, slow: moving[0] ?? null, fast: moving.at(-1) ?? null };
}

/** Convert a stick position to a command: `ahead` and `left` from -1 to 1, `hurry` from 0 to 1; `chosen` is a type fixed by a key. */
export function wishOf(kinds: readonly Kind[], ahead: number, left: number, hurry: number, chosen = ""): Wanted {
  const { stand, slow, fast } = gaits(kinds);
  const push = Math.min(Math.max(ahead, 0), 1);
  const turn = 1.4 * Math.min(Math.max(left, -1), 1);
  if (push < 0.12 && Math.abs(left) < 0.12) {
    const still = stand ?? slow;
    return { kind: still?.name ?? "stand", speed: still?.slow ?? 0, turn: 0 };
  }
  const own = kinds.find((kind) => kind.name === chosen && kind !== stand);
  const gait = own ?? (hurry > 0.4 ? fast : slow) ?? stand;
  if (!gait) return { kind: "stand", speed: 0, turn: 0 };
  const amount = Math.max(push, 0.25);
  const middle = (gait.slow + gait.fast) / 2;
  const speed = amount < 0.5 ? gait.slow + 2 * amount * (middle - gait.slow) : middle + 2 * (amount - 0.5) * (gait.fast - middle);
  const rounded = (value: number): number => Math.round(value * 100) / 100;
  return { kind: gait.name, speed: rounded(speed), turn: rounded(turn) };
}

/** Return whether two commands are equal. */
export function sameWish(one: Wanted | null, other: Wanted): boolean {
  return one !== null && one.kind === other.kind && one.speed === other.speed && one.turn === other.turn;
}

/** Convert the keys held down (W A S D and arrows) to a stick position. */
export function stickOf(held: ReadonlySet<string>): { ahead: number; left: number; hurry: number } {
  const any = (...keys: string[]): number => (keys.some((key) => held.has(key)) ? 1 : 0);
  return {
    ahead: 0.5 * any("w", "arrowup") * (1 + any("shift")) - any("s", "arrowdown"),
    left: any("a", "arrowleft") - any("d", "arrowright"),
    hurry: any("shift"),
  };
}
