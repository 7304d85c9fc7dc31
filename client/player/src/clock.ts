/** Time of a player: what plays, how fast, and between which two moments it goes round. No page in it. */

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2] as const;

/** Seconds on a line from 0 to `length`, moved by play, steps and jumps. */
export class Clock {
  seconds = 0;
  playing = false;
  speed = 1;
  looping = true;
  /** Range that plays and goes round, in seconds. */
  from = 0;
  to: number;

  constructor(
    readonly length: number,
    readonly fps: number,
  ) {
    this.to = length;
  }

  /** Frames from 0; the last one is `frames - 1`. */
  get frame(): number {
    return Math.round(this.seconds * this.fps);
  }

  get ranged(): boolean {
    return this.from > 0 || this.to < this.length;
  }

  /** Let `elapsed` seconds of the world pass. */
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

  /** Go to a time; the whole motion can be looked at, whatever range plays. */
  seek(seconds: number): void {
    this.seconds = Math.min(Math.max(seconds, 0), this.length);
  }

  /** Stop and go some frames on, to whole frames. */
  step(frames: number): void {
    this.playing = false;
    this.seek(Math.round(this.seconds * this.fps + frames) / this.fps);
  }

  /** Next slower (-1) or faster (1) speed. */
  shift(by: -1 | 1): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)];
  }

  /** Let the range begin or end at a time; the other end gives way. */
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

/** `0:07.25`: minutes, seconds and hundredths. */
export function timeText(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const minutes = Math.floor(hundredths / 6000);
  const rest = hundredths - minutes * 6000;
  return `${minutes}:${String(Math.floor(rest / 100)).padStart(2, "0")}.${String(rest % 100).padStart(2, "0")}`;
}

/** Seconds between the marks of a ruler that has room for about `most` of them. */
export function rulerStep(length: number, most: number): number {
  for (const step of [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600]) {
    if (length / step <= most) return step;
  }
  return 1800;
}
