/** Debian's Chromium with software WebGL, and functions that all scripts of this folder share. */

import { chromium } from "playwright-core";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

/** Read the complete order from stdin. */
export async function order() {
  let text = "";
  for await (const part of process.stdin) text += part;
  return JSON.parse(text);
}

export function launched(executablePath) {
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Wait for code to be true. Playwright's own wait evaluates text inside the page, which a content policy may forbid. */
export async function until(page, code, what = code, seconds = 60) {
  const last = Date.now() + 1000 * seconds;
  while (!(await page.evaluate(code))) {
    if (Date.now() > last) throw new Error(`never came: ${what}`);
    await page.waitForTimeout(30);
  }
}

/** Record errors of a page and its requests to other machines in `faults`, `foreign` and `console` of `seen`. */
export function watched(page, url, seen) {
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => seen.faults.push(error.message));
  page.on("console", (line) => line.type() === "error" && seen.console?.push(line.text()));
  page.on("request", (request) => {
    const local = /^(data|blob):/.test(request.url()) || new URL(request.url()).host === new URL(url).host;
    if (!local) seen.foreign?.push(request.url());
  });
  return page;
}

/** Return a function that writes screenshots to a folder, or does nothing without one. */
export function photographer(page, folder) {
  return async (name) => folder && page.screenshot({ path: `${folder}/${name}.png` });
}

/** Take steps in order until one fails; record the seconds of each, and a screenshot of the failure. */
export async function taken(steps, seen, shot) {
  seen.steps = {};
  try {
    for (const step of steps) {
      const begun = Date.now();
      await step();
      seen.steps[step.name] = (Date.now() - begun) / 1000;
    }
  } catch (error) {
    seen.faults.push(String(error));
    await shot("fault");
  }
}
