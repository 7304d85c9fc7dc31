/**
 * Opens pages in Debian's Chromium and says what happened: how browser tests and shows look at what segue writes.
 *
 * stdin: {"browser": path, "visits": [{"url", "width", "height", "scheme", "scripts", "wait", "steps", "picture": path}]}.
 * A visit waits until the code in "wait" is true, then takes its steps in order: code, {"press": key}, {"picture": path},
 * or {"frames": code}, which waits for the code in every frame inside the page.
 * stdout: a list of {"values", "requests" that left the disk, "faults" of the page, "console"}.
 */

import { chromium } from "playwright-core";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

/** Wait for code to be true. Playwright's own wait would evaluate text inside the page, which its policy forbids. */
async function until(page, code) {
  const last = Date.now() + 30000;
  while (!(await page.evaluate(code))) {
    if (Date.now() > last) throw new Error(`never became true: ${code}`);
    await new Promise((done) => setTimeout(done, 40));
  }
}

/** Values of code in every frame inside the page, once each is true there. */
async function inFrames(page, code) {
  const values = [];
  for (const frame of page.frames().slice(1)) {
    const owner = await frame.frameElement();
    await owner.scrollIntoViewIfNeeded();
    await until(frame, code);
    values.push(await frame.evaluate(code));
  }
  return values;
}

let told = "";
for await (const part of process.stdin) told += part;
const { browser: executablePath, visits } = JSON.parse(told);
const browser = await chromium.launch({ executablePath, args: FLAGS });
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
    if (visit.wait) await until(page, visit.wait);
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
