/**
 * Opens pages in Debian's Chromium and reports the results, for browser tests and shows of pages that segue writes.
 *
 * stdin: {"browser": path, "visits": [{"url", "width", "height", "scheme", "scripts", "wait", "steps", "picture": path}]}.
 * A visit waits until the code in "wait" is true, then takes its steps in order: code, {"press": key}, {"picture": path},
 * or {"frames": code}, which waits for the code in every frame inside the page.
 * stdout: a list of {"values", "requests" that left the disk, "faults" of the page, "console"}.
 */

import { launched, order, until } from "./chromium.mjs";

const WAIT = 30; // seconds

/** Return the values of code in every frame inside the page, once each is true. */
async function inFrames(page, code) {
  const values = [];
  for (const frame of page.frames().slice(1)) {
    const owner = await frame.frameElement();
    await owner.scrollIntoViewIfNeeded();
    await until(frame, code, code, WAIT);
    values.push(await frame.evaluate(code));
  }
  return values;
}

const { browser: executablePath, visits } = await order();
const browser = await launched(executablePath);
const answers = [];
for (const visit of visits) {
  const context = await browser.newContext({
    viewport: { width: visit.width ?? 1280, height: visit.height ?? 720 },
    colorScheme: visit.scheme ?? "dark",
    javaScriptEnabled: visit.scripts ?? true,
    offline: true,
  });
  const page = await context.newPage();
  const answer = { values: [], requests: [], faults: [], console: [] };
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) answer.requests.push(request.url());
  });
  page.on("pageerror", (error) => answer.faults.push(error.message));
  page.on("console", (line) => answer.console.push(line.text()));
  await page.goto(visit.url);
  try {
    if (visit.wait) await until(page, visit.wait, visit.wait, WAIT);
    for (const step of visit.steps ?? []) {
      if (step.press) await page.keyboard.press(step.press);
      else if (step.picture) await page.screenshot({ path: step.picture });
      else if (step.frames) answer.values.push(await inFrames(page, step.frames));
      else answer.values.push((await page.evaluate(step)) ?? null);
    }
    if (visit.picture) {
      await page.waitForTimeout(300);
      await page.screenshot({ path: visit.picture });
    }
  } catch (error) {
    answer.faults.push(String(error));
  }
  answers.push(answer);
  await context.close();
}
await browser.close();
process.stdout.write(JSON.stringify(answers));
