/**
 * Uses all of the studio with mouse and keys and reports the observed states, for tests and shows.
 *
 * stdin: {"browser": path, "url", "pictures": folder or null, "files": [[name, bytes in base64] …]}.
 * stdout: the observed states, step by step, with "faults" of the page and "foreign" requests that left this machine.
 */

import { launched, order, photographer, taken, until as comes, watched } from "./chromium.mjs";

const { browser: executablePath, url, pictures, files } = await order();
const browser = await launched(executablePath);
const seen = { faults: [], foreign: [], console: [] };
const page = watched(await browser.newPage({ viewport: { width: 1280, height: 720 } }), url, seen);
const shot = photographer(page, pictures);
const ask = (code) => page.evaluate(code);
const until = (code, what) => comes(page, code, what);
const view = "segueStudio.view";
const picture = () => ask("document.querySelector('canvas.stage').toDataURL()");
const tab = (name) => page.click(`[data-tab="${name}"]`);

async function playsAndSteps() {
  await page.goto(url);
  await page.waitForSelector(".clip");
  seen.clips = await page.locator(".clip b").allInnerTexts();
  seen.address = page.url();
  await until(`${view}.mode === 'motion' && ${view}.time > 0.05`, "the first clip plays");
  await page.keyboard.press("Space");
  const [stopped, before] = [await ask(`${view}.time`), await picture()];
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForTimeout(200);
  seen.stepped_frames = await ask(`Math.round((${view}.time - ${stopped}) * ${view}.fps)`);
  seen.step_changes_picture = (await picture()) !== before;
  await shot("clips");
}

async function editsContacts() {
  await page.click('[data-lane="contacts"]');
  const lane = '.lane-box[data-part="left_toe"]';
  await page.waitForSelector(`${lane} .contact`);
  const contacts = () => ask(`${view}.main.head.contacts.left_toe`);
  const [first] = await contacts();
  const box = await page.locator(lane).boundingBox();
  const last = (await ask(`${view}.main.head.frames`)) - 1;
  const spot = (frame) => box.x + (frame / last) * box.width;
  const middle = box.y + box.height / 2;
  await page.mouse.move(spot(first[1]), middle);
  await page.mouse.down();
  await page.mouse.move(spot(first[1]) + 8, middle, { steps: 4 });
  await page.mouse.up();
  await until(`${view}.main.head.contacts.left_toe[0][1] > ${first[1]}`, "a longer contact");
  const longer = await contacts();
  await page.keyboard.press("Control+z");
  await until(`${view}.main.head.contacts.left_toe[0][1] === ${first[1]}`, "the contact as it was");
  await page.keyboard.press("Control+Shift+z");
  await until(`${view}.main.head.contacts.left_toe[0][1] > ${first[1]}`, "the longer contact again");
  const count = (await contacts()).length;
  await page.locator(`${lane} .contact`).first().focus();
  await page.keyboard.press("Delete");
  await until(`${view}.main.head.contacts.left_toe.length === ${count - 1}`, "a contact less");
  seen.contacts = { first, longer: longer[0], count, left: (await contacts()).length };
  await shot("contacts");
  await page.click('[data-lane="measures"]');
}

async function crosses() {
  await tab("transitions");
  await page.click('[data-clip="walk"]');
  await page.click('[data-clip="walk_fast"]');
  await until(`${view}.main?.word.startsWith('made:')`, "the transition on the stage");
  const first = await ask(`${view}.main.word`);
  await shot("transitions");
  const box = await page.locator(".matrix").boundingBox();
  const [x, y] = [box.x + 0.42 * box.width, box.y + 0.52 * box.height];
  await page.mouse.move(x - 6, y - 6);
  await page.mouse.move(x, y);
  await until(`${view}.mode === 'poses'`, "two poses");
  seen.hover = await page.locator(".matrix-words").innerText();
  await page.mouse.click(x, y);
  await until(`${view}.main?.word.startsWith('made:') && ${view}.main.word !== '${first}'`, "another transition");
  seen.seams = await ask(`${view}.main.head.seams.length`);
  await page.waitForSelector(".lane-canvas");
  seen.lanes = await page.locator(".lane").count();
}

async function exports() {
  await page.click('[aria-haspopup="menu"]');
  await page.locator(".menu input").fill("from the page");
  await page.click('.menu [role="menuitem"]:has-text("GLB")');
  await page.waitForSelector(".toast:has-text('from the page.glb')");
}

async function walks() {
  await tab("graph");
  await page.fill(".search", "walk");
  await page.click(".right button.wide");
  await page.waitForSelector(".ring");
  await until(`${view}.main?.word.startsWith('made:') && ${view}.main.head.sources.length > 1`, "a walk");
  await shot("graph");
}

async function steers() {
  await tab("steer");
  await page.locator(".right select").first().selectOption("graph");
  await until(`${view}.mode === 'live' && ${view}.time > 0.3`, "a live walk");
  await page.keyboard.press("n");
  seen.taken = await page.locator(".toast").allInnerTexts();
  await page.locator(".right select").first().selectOption("locomotion");
  await until(`${view}.mode === 'live' && document.querySelector('.keys')`, "a walker");
  const start = await ask(`${view}.root`);
  await page.keyboard.down("w");
  await page.keyboard.down("a");
  await until(`Math.hypot(${view}.root[0] - ${start[0]}, ${view}.root[2] - ${start[2]}) > 0.6`, "the root moves");
  await page.waitForTimeout(600);
  await shot("steer");
  await page.keyboard.up("a");
  await page.keyboard.up("w");
  seen.delay = await page.locator(".fact:has-text('Delay')").innerText();
  await page.click("text=Keep the run");
  await page.locator('.toast:has-text("so far") .link').first().dispatchEvent("click"); // the toast disappears automatically
  await until(`${view}.main?.word.startsWith("made:")`, "the run so far");
  await page.waitForSelector("[data-run]");
  await page.locator('[data-run] button:has-text("Play")').first().click();
  await until(`${view}.main?.head.name === "steered walk"`, "the run again");
  await page.locator('[data-run] button:has-text("Keep")').first().click();
  await page.waitForSelector(".toast:has-text('among the clips')");
  seen.kept = await ask("segueStudio.store.project.clips.map((clip) => clip.name)");
}

async function asksPeople() {
  await tab("study");
  await page.selectOption('[aria-label="Design"]', "weights");
  await page.click("text=Show the motions");
  await until(`${view}.main?.word.startsWith('made:') && ${view}.main.head.name.endsWith('original')`, "a stimulus");
  await shot("study");
}

async function comesBack() {
  await ask("segueStudio.link.socket.close()");
  await page.waitForSelector(".notice:not([hidden])");
  await until("document.querySelector('.notice').hidden && segueStudio.link.open", "the connection");
}

async function takesFiles() {
  await page.fill(".search", "");
  await ask(`(() => {
    const files = new DataTransfer();
    for (const [name, bytes] of ${JSON.stringify(files)}) {
      files.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name));
    }
    const about = { dataTransfer: files, bubbles: true, cancelable: true };
    for (const kind of ["dragenter", "dragover", "drop"]) window.dispatchEvent(new DragEvent(kind, about));
  })()`);
  for (const name of ["turned", "captured"]) await page.waitForSelector(`[data-clip="${name}"]`);
  await page.waitForSelector('[data-clip="dropped"]');
  await until(`${view}.main?.word.startsWith('clip:')`, "a dropped motion");
  await page.click('[data-clip="dropped"]');
  await until(`${view}.main?.word === 'clip:dropped'`, "the dropped motion");
  seen.toast = await page.locator(".toast").allInnerTexts();
}

async function findsTheWork() {
  await page.reload();
  await page.waitForSelector(".clip");
  await until(`${view}.main?.word === 'clip:dropped'`, "the work after a reload");
  const { a, b, tab: open } = await ask("({ ...segueStudio.store.work })");
  seen.after_reload = { a, b, tab: open };
  seen.title = await page.title();
  seen.markup = await page.locator(".left img[src='x'], .left script").count();
}

const STEPS = [playsAndSteps, editsContacts, crosses, exports, walks, steers, asksPeople, comesBack, takesFiles, findsTheWork];
await taken(STEPS, seen, shot);
process.stdout.write(JSON.stringify(seen));
await browser.close();
