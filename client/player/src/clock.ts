/** Time of a player: the current moment, the speed, and the range that loops. Independent of the DOM. */

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2] as const;

/** A time from 0 to `length` seconds, changed by play, steps and jumps. */
export class Clock {
  seconds = 0;
  playing = false;
  speed = 1;
  looping = true;
  /** Range that loops, in seconds. */
  from = 0;
  to: number;

  constructor(
    readonly length: number,
    readonly fps: number,
  ) {
    this.to = length;
  }

  /** Frame index, at most `frames - 1`. */
  get frame(): number {
    return Math.round(this.seconds * this.fps);
  }

  get ranged(): boolean {
    return this.from > 0 || this.to < this.length;
  }

  /** Advance by `elapsed` seconds of real time. */
  tick(elapsed: number): void {
    if (!this.playing || this.length <= 0) return;
    let then = this.seconds + Math.min(elapsed, 0.25) * this.speed;
    if (then >= this.to) {
      if (this.looping) {
        const span = Math.max(this.to - this.from, 1 / this.fps);
        then = this.from + ((then - this.from) % span);
      } else {
        then = this.to;
        this.playing = false;
      }
    }
    this.seconds = then;
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && (this.seconds >= this.to - 1e-9 || this.seconds < this.from)) this.seconds = this.from;
  }

  /** Go to a time, which may be outside the range that loops. */
  seek(seconds: number): void {
    this.seconds = Math.min(Math.max(seconds, 0), this.length);
  }

  /** Pause and move by some frames, to an integer frame. */
  step(frames: number): void {
    this.playing = false;
    this.seek(Math.round(this.seconds * this.fps + frames) / this.fps);
  }

  /** Set the next slower (-1) or faster (1) speed. */
  shift(by: -1 | 1): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)];
  }

  /** Set the range, clipped to the motion and at least one frame long. */
  setRange(from: number, to: number): void {
    const least = 1 / this.fps;
    this.from = Math.min(Math.max(from, 0), Math.max(this.length - least, 0));
    this.to = Math.min(Math.max(to, this.from + least), this.length);
  }

  wholeRange(): void {
    this.from = 0;
    this.to = this.length;
  }
}

/** Format a time as `0:07.25`: minutes, seconds and hundredths. */
export function timeText(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const minutes = Math.floor(hundredths / 6000);
  const rest = hundredths - minutes * 6000;
  return `${minutes}:${String(Math.floor(rest / 100)).padStart(2, "0")}.${String(rest % 100).padStart(2, "0")}`;
}

/** Return the interval in seconds between marks of a ruler with space for about `most` of them. */
export function rulerStep(length: number, most: number): number {
  for (const step of [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600]) {
    if (length / step <= most) return step;
  }
  return 1800;
}
