/** Debian's Chromium with WebGL in software, and what every script here does with a page in it. */

import { chromium } from "playwright-core";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

/** The order on stdin, whole. */
export async function order() {
  let text = "";
  for await (const part of process.stdin) text += part;
  return JSON.parse(text);
}

export function launched(executablePath) {
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Wait for code to be true. Playwright's own wait would evaluate text inside the page, which a policy may forbid. */
export async function until(page, code, what = code, seconds = 60) {
  const last = Date.now() + 1000 * seconds;
  while (!(await page.evaluate(code))) {
    if (Date.now() > last) throw new Error(`never came: ${what}`);
    await page.waitForTimeout(30);
  }
}

/** Note what goes wrong in a page and what it asks of other machines: in `faults`, `foreign` and `console` of `seen`. */
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

/** Pictures of a page into a folder; none where there is no folder. */
export function photographer(page, folder) {
  return async (name) => folder && page.screenshot({ path: `${folder}/${name}.png` });
}

/** Take steps one after the other until one fails; seconds of each, and a picture of the page that failed. */
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
