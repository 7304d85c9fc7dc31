/** Measures of a live character: delay, poses a second, and speed and turning rate in the lanes. */

import { fact } from "./fields";
import type { Lanes } from "./lanes";
import type { LivePose } from "./packed";

const OVER = 0.12; // seconds over which speed and turning rate are measured
const EVERY = 500; // milliseconds between counts of poses
const GOOD = 60; // milliseconds of delay that a user does not notice

/** Return the heading of the root: the direction of its forward axis on the ground. */
export function headingOf(pose: ArrayLike<number>): number {
  const [w, x, y, z] = [pose[3], pose[4], pose[5], pose[6]];
  return Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
}

export class LiveMeasures {
  private readonly times = new Map<number, number>();
  private past: { seconds: number; x: number; z: number; heading: number }[] = [];
  private delay = 0;
  private shown = 0;
  private rate = 0;
  private counted = 0;

  constructor(private readonly lanes: Lanes) {}

  /** Reset for a new character. */
  begin(): void {
    this.past = [];
    this.delay = this.rate = this.shown = 0;
    this.counted = performance.now();
    this.times.clear();
  }

  /** Start the delay of a command at the moment it is sent. */
  asked(number: number): void {
    this.times.set(number, performance.now());
  }

  /** Record a pose shown on the stage; return true if the facts have to be redrawn. */
  seen(pose: LivePose): boolean {
    const now = performance.now();
    const asked = this.times.get(pose.steered);
    if (asked !== undefined) {
      const took = now - asked;
      this.delay = this.delay ? 0.8 * this.delay + 0.2 * took : took;
      for (const old of this.times.keys()) if (old <= pose.steered) this.times.delete(old);
    }
    this.shown++;
    this.lay(pose);
    if (now - this.counted <= EVERY) return false;
    this.rate = (1000 * this.shown) / (now - this.counted);
    this.shown = 0;
    this.counted = now;
    return true;
  }

  /** Add speed and turning rate over `OVER` seconds, and the delay, to the lanes. */
  private lay({ pose, seconds }: LivePose): void {
    const heading = headingOf(pose);
    const past = this.past.find((one) => seconds - one.seconds <= OVER);
    this.past = [...this.past.filter((one) => seconds - one.seconds <= OVER), { seconds, x: pose[0], z: pose[2], heading }];
    if (!past || seconds <= past.seconds) return;
    const passed = seconds - past.seconds;
    const turned = Math.atan2(Math.sin(heading - past.heading), Math.cos(heading - past.heading));
    this.lanes.live([
      { title: "Speed", unit: "m/s", ink: "--violet", least: 1, value: Math.hypot(pose[0] - past.x, pose[2] - past.z) / passed },
      { title: "Turning", unit: "°/s", ink: "--warm", least: 60, value: Math.abs((180 / Math.PI) * turned) / passed },
      { title: "Hips", unit: "m", ink: "--faint", least: 1.2, value: pose[1] },
      { title: "Delay", unit: "ms", ink: "--accent", least: GOOD, value: this.delay },
    ]);
  }

  /** Create the rows of the inspector. */
  facts(steered: boolean): (HTMLElement | null)[] {
    const { delay } = this;
    return [
      fact("Poses", `${Math.round(this.rate)} a second`),
      steered ? fact("Delay", delay ? `${delay.toFixed(0)} ms` : "press a key", delay && delay < GOOD ? "good" : "") : null,
    ];
  }
}
