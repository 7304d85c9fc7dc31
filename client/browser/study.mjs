/**
 * Takes part in a study with mouse and keys and reports the observed states, for tests and pictures.
 *
 * stdin: one line {"browser": path, "url", "pictures": folder or null, "schemes", "sizes"}, then a line each time that
 * the server was killed and restarted. stdout: the line "kill" each time that it has to be killed, and at the end the
 * observed states, with "faults" of the page and "foreign" requests that left this machine.
 */

import { createInterface } from "node:readline";
import { launched, photographer, watched } from "./chromium.mjs";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { browser: executablePath, url, pictures, scheme = "light", width = 640, height = 480 } = JSON.parse((await lines.next()).value);
const browser = await launched(executablePath);
const seen = { faults: [], foreign: [], trials: [], codes: [] };

async function participant() {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = watched(await context.newPage(), url, seen);
  await page.goto(url);
  return page;
}

const shot = (page, name) => photographer(page, pictures)(name);
const ready = (page) => page.waitForSelector(".choices button:not([disabled])");
const heading = (page, text) => page.waitForSelector(`h1:has-text("${text}")`);

/** Give consent, fill in the fields, and begin. */
async function agrees(page, about, pictured = true) {
  const picture = (name) => (pictured ? shot(page, name) : null);
  await heading(page, "Watching motion");
  const locked = await page.locator("button[type=submit]").isDisabled();
  await picture("consent-empty");
  for (const [name, value] of Object.entries(about)) await page.selectOption(`select[name="${name}"]`, value);
  await page.check("#agreed");
  await picture("consent");
  await page.click("button[type=submit]");
  await heading(page, "How it goes");
  await picture("how");
  await page.keyboard.press("Enter");
  return locked;
}

/** Wait for the question and answer it, by key or by button. The next screen may be of any kind. */
async function answers(page, word, byKey) {
  await ready(page);
  const trial = await page.evaluate(() => ({
    count: document.querySelector(".count").textContent,
    text: document.querySelector(".question").textContent,
    choices: [...document.querySelectorAll(".choices button")].map((one) => one.dataset.choice),
  }));
  const check = /please answer: (\w+)/.exec(trial.text);
  const given = check ? check[1] : word;
  seen.trials.push({ ...trial, given });
  if (byKey) await page.keyboard.press(String(trial.choices.indexOf(given) + 1));
  else await page.click(`[data-choice="${given}"]`);
}

/** Wait for the screen after an answer; end a break. */
async function passes(page, number) {
  await page.waitForFunction(
    (before) => document.querySelector("h1") || document.querySelector(".count")?.textContent !== before,
    number,
  );
  const words = await page.locator("h1").allInnerTexts();
  if (words[0] === "Time for a break") {
    await shot(page, "break");
    seen.breaks = (seen.breaks ?? 0) + 1;
    await page.keyboard.press("Enter");
  }
  return words[0] ?? "";
}

/** Draw the same frame of both motions of a trial, and the empty stage, and compare pixels. */
function comparesPixels() {
  const { theatre, screen } = globalThis.segueStudy;
  const { stage } = theatre;
  const canvas = stage.canvas;
  const pixels = () => {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    return new Uint32Array(pen.getImageData(0, 0, copy.width, copy.height).data.buffer);
  };
  const [width, height] = [canvas.width, canvas.height];
  const body = new Uint8Array(width * height);
  const [motion] = screen.motions;
  const frame = Math.floor(motion.frames / 2);
  const cameras = [];
  /** Mark every pixel within a distance in metres of a bone of the current pose. */
  const cover = (metres) => {
    const { camera } = stage.view;
    cameras.push([...camera.matrixWorldInverse.elements, ...camera.projectionMatrix.elements].join());
    const { parents } = theatre.body.skeleton;
    const placed = Array.from(parents, (_, joint) => {
      const at = stage.jointPosition(theatre.character, joint);
      const v = camera.matrixWorldInverse.elements;
      const [x, y, z] = [0, 1, 2].map((k) => v[k] * at[0] + v[4 + k] * at[1] + v[8 + k] * at[2] + v[12 + k]);
      const p = camera.projectionMatrix.elements;
      const scale = (p[5] / -z) * (height / 2);
      return [width / 2 + (p[0] * x) / -z * (width / 2), height / 2 - (p[5] * y) / -z * (height / 2), metres * scale];
    });
    Array.from(parents).forEach((parent, joint) => {
      if (parent < 0) return;
      const [a, b] = [placed[parent], placed[joint]];
      const radius = Math.max(a[2], b[2]);
      const [left, right] = [Math.min(a[0], b[0]) - radius, Math.max(a[0], b[0]) + radius];
      const [top, bottom] = [Math.min(a[1], b[1]) - radius, Math.max(a[1], b[1]) + radius];
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
      const length = dx * dx + dy * dy || 1;
      for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, bottom); y++) {
        for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x++) {
          const t = Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / length, 0), 1);
          if ((x - a[0] - t * dx) ** 2 + (y - a[1] - t * dy) ** 2 <= radius * radius) body[y * width + x] = 1;
        }
      }
    });
  };
  theatre.empty();
  const without = pixels();
  const pictures = screen.motions.map((one) => {
    theatre.still(one, frame);
    cover(0.3);
    return pixels();
  });
  const count = (one, other, where) => one.reduce((sum, value, k) => sum + (value !== other[k] && body[k] === where), 0);
  theatre.close("Your answer");
  return {
    size: [width, height],
    cameras: new Set(cameras).size,
    motions: pictures.length,
    body_pixels: body.reduce((sum, value) => sum + value, 0),
    outside: count(pictures[0], pictures[1], 0),
    outside_of_the_empty_stage: count(pictures[0], without, 0),
    inside: count(pictures[0], pictures[1], 1),
    drawn: count(pictures[0], without, 1),
  };
}

try {
  const one = await participant();
  seen.address = one.url();
  seen.locked = await agrees(one, { "age group": "20 to 39" });
  await one.waitForTimeout(1500);
  await shot(one, "trial-playing");
  const other = await participant(); // at the same time, in a separate browser
  await agrees(other, {}, false);
  await ready(one);
  await shot(one, "trial");
  seen.pixels = await one.evaluate(comparesPixels);
  let number = "";
  for (let k = 0; k < 40; k++) {
    if (k === 2) {
      await ready(one);
      await one.reload();
      await heading(one, "Welcome back");
      await shot(one, "welcome-back");
      seen.kept = await one.locator("p").first().innerText();
      await one.keyboard.press("Enter");
    }
    await ready(one);
    number = await one.locator(".count").innerText();
    if (k === 3) {
      process.stdout.write("kill\n");
      await lines.next(); // the server is killed
    }
    await answers(one, k % 3 ? "second" : "first", k % 2 === 0);
    if (k === 3) {
      await one.waitForSelector(".notice:not([hidden])");
      await shot(one, "no-server");
      process.stdout.write("start\n");
      await lines.next(); // the server is back
    }
    if ((await passes(one, number)) === "Thank you") break;
  }
  await heading(one, "Thank you");
  await shot(one, "thanks");
  await answers(other, "first", true);
  await passes(other, "1 of 5");
} catch (error) {
  seen.faults.push(String(error));
}
process.stdout.write(`${JSON.stringify(seen)}\n`);
await browser.close();
process.exit(0);
