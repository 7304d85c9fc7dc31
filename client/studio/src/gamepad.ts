/** Gamepad input: the left stick steers, the right trigger increases speed, the buttons select. */

export interface PadState {
  readonly ahead: number;
  readonly left: number;
  readonly hurry: number;
  /** Buttons pressed since the last `look`. */
  readonly pressed: ReadonlySet<"take" | "next" | "previous">;
}

/** Buttons of the standard layout. */
const BUTTONS = { take: 0, previous: 4, next: 5 } as const;
const HURRY = 7;

/** Reads the first connected gamepad. */
export class Pad {
  private held = new Set<string>();

  /** Return its current state, null without a gamepad. */
  look(pads: readonly (Gamepad | null)[] = navigator.getGamepads?.() ?? []): PadState | null {
    const pad = pads.find((one) => one !== null);
    if (!pad) {
      this.held.clear();
      return null;
    }
    const [x = 0, y = 0] = pad.axes;
    const down = new Set<string>();
    for (const [name, number] of Object.entries(BUTTONS)) if (pad.buttons[number]?.pressed) down.add(name);
    const pressed = new Set([...down].filter((name) => !this.held.has(name)) as (keyof typeof BUTTONS)[]);
    this.held = down;
    return { ahead: y ? -y : 0, left: x ? -x : 0, hurry: pad.buttons[HURRY]?.value ?? 0, pressed };
  }
}
