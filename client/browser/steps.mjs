/**
 * Takes steps on the studio's page and records all its text, for pictures and for checks of the messages in empty states.
 *
 * stdin: {"browser": path, "pictures": folder or null, "visits": [{"url", "name", "steps": [step …]}]}.
 * A step: {"tab": name}, {"click": selector}, {"choose": [selector, value]}, {"down": key}, {"up": key},
 * {"fill": [selector, text]}, {"see": selector}, {"drop": [[name, bytes in base64] …]}, {"kill": process},
 * {"wait": milliseconds}, {"do": code}, {"until": code}, {"size": [width, height]}, {"look": name}, which also takes a screenshot.
 * stdout: {"words": {visit: {look: words}}, "faults" of the pages}.
 */

import { launched, order, photographer, until, watched } from "./chromium.mjs";

const { browser: executablePath, pictures, visits } = await order();
const browser = await launched(executablePath);
const seen = { faults: [], words: {} };

const takes = {
  tab: (page, name) => page.click(`[data-tab="${name}"]`),
  click: (page, selector) => page.locator(selector).first().click(),
  choose: (page, [selector, value]) => page.locator(selector).first().selectOption(value),
  down: (page, key) => page.keyboard.down(key),
  up: (page, key) => page.keyboard.up(key),
  fill: (page, [selector, text]) => page.fill(selector, text),
  see: (page, selector) => page.locator(selector).first().waitFor(),
  do: (page, code) => page.evaluate(code),
  until: (page, code) => until(page, code, code, 150),
  size: (page, [width, height]) => page.setViewportSize({ width, height }),
  kill: (_, id) => process.kill(id, "SIGKILL"),
  wait: (page, milliseconds) => page.waitForTimeout(milliseconds),
  drop: (page, files) =>
    page.evaluate((all) => {
      const data = new DataTransfer();
      for (const [name, bytes] of all) data.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name));
      for (const kind of ["dragenter", "dragover", "drop"]) window.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    }, files),
};

for (const { url, name, steps } of visits) {
  const page = watched(await browser.newPage({ viewport: { width: 1280, height: 720 } }), url, seen);
  page.setDefaultTimeout(30_000);
  seen.words[name] = {};
  try {
    await page.goto(url);
    for (const step of steps) {
      const [[kind, what]] = Object.entries(step);
      if (kind === "look") {
        await page.waitForTimeout(500);
        await photographer(page, pictures)(`${name}-${what}`);
        seen.words[name][what] = await page.evaluate("document.body.innerText");
      } else await takes[kind](page, what);
    }
  } catch (error) {
    seen.faults.push(`${name}: ${error}`);
    await photographer(page, pictures)(`${name}-fault`);
  }
  await page.close();
}
process.stdout.write(JSON.stringify(seen));
await browser.close();
