import { expect, test } from "vitest";

import { Clock, rulerStep, timeText } from "../src/clock";
import { seamAt, smoothed } from "../src/film";

test("playing goes round between the ends of the range", () => {
  const clock = new Clock(10, 30);
  clock.setRange(2, 3);
  clock.seek(2.9);
  clock.toggle();
  clock.tick(0.2);
  expect(clock.seconds).toBeCloseTo(2.1, 9);
});

test("without going round it stops at the end", () => {
  const clock = new Clock(1, 30);
  clock.looping = false;
  clock.toggle();
  for (let k = 0; k < 9; k++) clock.tick(0.2);
  expect([clock.seconds, clock.playing]).toEqual([1, false]);
  clock.toggle();
  expect(clock.seconds).toBe(0);
});

test("speed scales time, and a stalled page does not jump", () => {
  const clock = new Clock(10, 30);
  clock.toggle();
  clock.speed = 0.5;
  clock.tick(0.1);
  expect(clock.seconds).toBeCloseTo(0.05, 9);
  clock.tick(60);
  expect(clock.seconds).toBeCloseTo(0.175, 9);
});

test("steps stop and land on whole frames, inside the motion", () => {
  const clock = new Clock(1, 30);
  clock.toggle();
  clock.seek(0.51);
  clock.step(1);
  expect([clock.playing, clock.frame]).toEqual([false, 16]);
  expect(clock.seconds * 30).toBeCloseTo(16, 9);
  clock.step(-99);
  expect(clock.seconds).toBe(0);
});

test("a range never becomes empty or leaves the motion", () => {
  const clock = new Clock(5, 50);
  clock.setRange(4, 1);
  expect(clock.to - clock.from).toBeCloseTo(1 / 50, 9);
  clock.setRange(-3, 99);
  expect([clock.from, clock.to, clock.ranged]).toEqual([0, 5, false]);
});

test("a motion of one frame can be shown", () => {
  const clock = new Clock(0, 24);
  clock.toggle();
  clock.tick(0.1);
  expect(clock.seconds).toBe(0);
});

test("speeds have two ends", () => {
  const clock = new Clock(5, 50);
  for (let k = 0; k < 9; k++) clock.shift(1);
  expect(clock.speed).toBe(2);
  for (let k = 0; k < 9; k++) clock.shift(-1);
  expect(clock.speed).toBe(0.1);
});

test("times are read in minutes, seconds and hundredths", () => {
  expect([timeText(0), timeText(7.25), timeText(59.999), timeText(61.5)]).toEqual(["0:00.00", "0:07.25", "1:00.00", "1:01.50"]);
});

test("a ruler has no more marks than fit", () => {
  for (const length of [0.1, 2.5, 60, 601, 5000]) expect(length / rulerStep(length, 15)).toBeLessThanOrEqual(15);
});

test("smoothing keeps straight ways and both ends", () => {
  const line = Float32Array.from({ length: 30 }, (_, k) => Math.floor(k / 3) * (1 + (k % 3)));
  expect([...smoothed(line, 5)].map((x, k) => Math.abs(x - line[k]) < 1e-5).every(Boolean)).toBe(true);
});

test("frames of a blend belong to its seam, a cut to one frame", () => {
  const seams = [
    { start: 10, stop: 20, frame: 15, from: "a", to: "b" },
    { start: 30, stop: 30, frame: 30, from: "b", to: "a" },
  ];
  expect([9, 10, 19.5, 20, 30, 31].map((frame) => seamAt(seams, frame))).toEqual([-1, 0, 0, -1, 1, -1]);
});
