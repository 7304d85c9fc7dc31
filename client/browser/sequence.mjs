/**
 * Uses the studio's Sequence tab with mouse and keys and reports the observed states, for tests and pictures.
 *
 * stdin: {"browser": path, "url", "pictures": folder or null}; with "looks" (steps or fight) only pictures are taken.
 * stdout: the observed states, with "faults" of the page.
 */

import { launched, order, photographer, taken, until as comes, watched } from "./chromium.mjs";

const { browser: executablePath, url, pictures, looks } = await order();
const browser = await launched(executablePath);
const seen = { faults: [] };
const page = watched(await browser.newPage({ viewport: { width: 1280, height: 720 } }), url, seen);
const shot = photographer(page, pictures);
const ask = (code) => page.evaluate(code);
const until = (code, what) => comes(page, code, what);
const tab = "segueStudio.tabs.sequence";
const blocks = () => ask(`${tab}.timeline.blocks`);
const named = async (name) => (await blocks()).find((block) => block.motion === name);
/** Wait until no request is open and the stage shows the frames made last. */
const settled = (what) => until(`(({ frames: { made, working, wanted }, history }) => made && !working && !wanted && made.script === history.now && segueStudio.view.main === made.frames.loaded)(${tab})`, what);
/** Return a hash of the poses on the stage, and the number of frames. */
const poses = () => ask(`(() => { let sum = 0; const { poses } = segueStudio.view.main.motion; for (let k = 0; k < poses.length; k++) sum = (sum * 31 + Math.round(1e5 * poses[k])) % 4294967291; return [sum, segueStudio.view.main.head.frames].join(" "); })()`);
const place = async (at) => {
  const box = await page.locator(".tl-motions").boundingBox();
  const { from, pixels } = await ask(`${tab}.timeline.scale`);
  return [box.x + (at - from) * pixels, box.y + box.height / 2];
};
const drag = async (from, to) => {
  const [x, y] = await place(from);
  const [end] = await place(to);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 5; k++) await page.mouse.move(x + ((end - x) * k) / 5, y);
  await page.mouse.up();
};
const still = () => ask("segueStudio.view.toggle(false)");

async function opens() {
  await page.goto(url);
  await page.waitForSelector(".clip");
  await page.click('[data-tab="sequence"]');
  await page.waitForSelector(".tl-block");
  await settled("the sequence on the stage");
  await still();
  seen.motions = (await blocks()).map((block) => block.motion);
  seen.elements = await page.locator("[data-element]").count();
}

async function drags() {
  const before = await poses();
  const { core } = await named("hurry");
  await ask(`segueStudio.view.seek(${core[0]})`);
  await drag(core[0] - 0.3, core[0]);
  await settled("frames of the drag");
  seen.moved = (await named("hurry")).core[0] - core[0];
  seen.changed = (await poses()) !== before;
  seen.milliseconds = await ask(`${tab}.frames.milliseconds`);
  seen.joined = await page.locator(".fact:has-text('Joined by')").innerText();
  await shot("sequence");
  await page.keyboard.press("Control+z");
  await settled("the frames before");
  seen.undone = (await poses()) === before && Math.abs((await named("hurry")).core[0] - core[0]) < 1e-9;
  await page.keyboard.press("Control+Shift+z");
  await settled("the frames after");
  seen.redone = (await named("hurry")).core[0] - core[0];
}

async function isRejectedAndMoves() {
  const [run, hurry] = [await named("run"), await named("hurry")];
  await drag(run.core[0] - 0.3, hurry.core[0] - 0.25);
  await settled("a rejected motion");
  await page.waitForSelector(".rejected-box");
  seen.rejected = await page.locator(".rejected-box").innerText();
  seen.hatched = await page.locator(".tl-block.rejected").count();
  await shot("sequence-rejected");
  await page.click(".rejected-box button");
  await settled("the motion at the nearest time");
  seen.accepted = (await page.locator(".tl-block.rejected").count()) === 0;
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await settled("the motion where it was");
}

/** Drag a motion of the list to its time, cancel one drag, and place a motion at the playhead by keys. */
async function carriesIn() {
  const [before, count] = [await poses(), (await blocks()).length];
  const row = await ask(`(() => { const one = document.querySelector('[data-element="stride"]'); one.scrollIntoView({ block: "nearest" }); const { x, y } = one.getBoundingClientRect(); return { x, y }; })()`);
  const last = (await blocks()).at(-1);
  await page.keyboard.press("z"); // the complete sequence in view
  const target = await place(last.end - 0.4);
  const hold = async () => {
    await page.mouse.move(row.x + 60, row.y + 12);
    await page.mouse.down();
    await page.mouse.move(row.x + 90, row.y + 20, { steps: 3 });
    await page.waitForSelector(".carried");
    await page.mouse.move(...target, { steps: 4 });
    await until(`${tab}.timeline.blocks.length === ${count + 1}`, "the motion that is carried");
    await until(`${tab}.frames.made?.view.placed.length === ${count + 1}`, "its frames while it is held");
  };
  await hold();
  await shot("sequence-carried");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await settled("the frames before");
  seen.given_up = (await blocks()).length === count && (await poses()) === before && (await page.locator(".carried").count()) === 0;
  await hold();
  await page.mouse.up();
  await settled("the motion that was carried in");
  const placed = (await blocks()).at(-1);
  seen.carried = { count: (await blocks()).length - count, motion: placed.motion, changed: (await poses()) !== before };
  await page.keyboard.press("Control+z");
  await settled("the frames before it");
  seen.uncarried = (await blocks()).length === count && (await poses()) === before;
  await ask(`segueStudio.view.seek(${last.end} - ${tab}.frames.zero - 0.1)`);
  const clock = await ask(`${tab}.frames.clock`);
  await page.locator('[data-element="stride"]').focus();
  await page.keyboard.press("Shift+Enter");
  await settled("a motion at the playhead");
  seen.at_playhead = (await ask(`${tab}.timeline.blocks.find((block) => block.id === ${tab}.timeline.chosen).core[0]`)) - clock;
  await page.keyboard.press("Control+z");
  await settled("the sequence as it was");
}

async function addsByKeysAndRemoves() {
  const count = (await blocks()).length;
  await page.locator('[data-element="side step"]').focus();
  await page.keyboard.press("Enter");
  await settled("one more motion");
  seen.added = (await blocks()).length - count;
  await page.locator(".tl-block[aria-pressed='true']").focus();
  const mine = () => ask(`${tab}.timeline.blocks.find((block) => block.id === ${tab}.timeline.chosen).core[0]`);
  const at = await mine();
  await page.keyboard.press("Shift+ArrowRight");
  await settled("the motion later");
  seen.nudged = Math.round(60 * ((await mine()) - at));
  await page.keyboard.press("Delete");
  await settled("one motion less");
  seen.removed = (await blocks()).length === count;
}

async function setsACore() {
  await page.keyboard.press("z");
  const { core } = await named("turn left");
  await page.mouse.click(...(await place((core[0] + core[1]) / 2)));
  await drag(core[1], core[1] + 0.2);
  await settled("a longer core");
  const after = (await named("turn left")).core;
  seen.core = [after[0] - core[0], after[1] - core[1]];
  await page.locator("[aria-label='W of this pair']").focus();
  await page.keyboard.press("ArrowLeft");
  await settled("another W");
  seen.smoothness = await ask(`${tab}.history.now.motions.find((one) => one.motion === "turn left").smoothness`);
}

async function exports() {
  await page.click('[aria-haspopup="menu"]');
  await page.locator(".menu input").fill("from the timeline");
  await page.click('.menu [role="menuitem"]:has-text("BVH")');
  await page.waitForSelector(".toast:has-text('from the timeline.bvh')");
}

async function findsTheWork() {
  await until(`!${tab}.keeping.unsaved && ${tab}.keeping.saved.startsWith("saved in")`, "saved in the library");
  const before = [await blocks(), await poses()];
  await page.reload();
  await page.waitForSelector(".tl-block");
  await settled("the sequence after a reload");
  await still();
  const strip = (list) => list.map(({ motion, core }) => [motion, ...core.map((at) => Math.round(1000 * at))].join(" "));
  seen.found = strip(await blocks()).join() === strip(before[0]).join() && (await poses()) === before[1];
}

/** Use the live player on the Steer tab: request a motion, request another for later, and withdraw that. */
async function playsLive() {
  await page.click('[data-tab="steer"]');
  await page.locator(".right select").first().selectOption("sequence");
  await until("segueStudio.view.mode === 'live' && segueStudio.view.time > 0.2", "a live player");
  const motion = (name) => page.click(`.right .tag:has-text("${name}")`);
  await motion("stride");
  await page.waitForSelector(".answer:has-text('core at')");
  for (let k = 0; looks && k < 20 && (await ask("segueStudio.tabs.steer.source")) < 0; k++) {
    await motion(["hurry", "turn left"][k % 2]);
    await page.waitForTimeout(900);
  }
  await page.waitForTimeout(looks ? 700 : 0);
  await shot("studio-sequence-player");
  seen.played = await page.locator(".answer").first().innerText();
  await page.locator("[aria-label='Begin']").selectOption("5");
  await motion("halt");
  // immediately: on a slow machine the motion begins while the pointer moves to the button
  await until(`(() => { const button = [...document.querySelectorAll(".answer")].find((one) => one.innerText.includes("halt"))?.querySelector("button"); button?.click(); return Boolean(button); })()`, "a motion that can be withdrawn");
  await page.waitForSelector(".answer:has-text('withdrawn')");
  await page.click("text=Keep the run");
  await page.waitForSelector(".toast:has-text('run of')");
}

/** Picture a fight: a selected motion, a rejected one, footholds that are kept. */
async function looksAtAFight() {
  await opens();
  const { core } = await named("step_in");
  await page.mouse.click(...(await place(core[0] - 0.3)));
  await ask(`segueStudio.view.seek(${core[0]} - ${tab}.frames.zero)`);
  await page.waitForTimeout(1500);
  await shot("studio-sequence");
}

/** Picture the tab for comparison with the target picture: dark and light, tablet, empty. */
async function looksLikeAProduct() {
  await opens();
  const look = async (name) => {
    await page.waitForTimeout(1200);
    await shot(name);
  };
  const { core } = await named("hurry");
  await ask(`segueStudio.view.seek(${core[0] - 0.35})`);
  await page.mouse.click(...(await place((core[0] + core[1]) / 2)));
  await look("studio-sequence-steps");
  await page.click("[aria-label='dark or light']");
  await look("studio-sequence-light");
  await page.setViewportSize({ width: 1024, height: 768 });
  await look("studio-sequence-tablet");
  await page.setViewportSize({ width: 768, height: 1024 });
  await look("studio-sequence-upright");
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.click("[aria-label='dark or light']");
  const [run, hurry] = [await named("run"), await named("hurry")];
  await drag(run.core[0] - 0.3, hurry.core[0] - 0.25);
  await page.waitForSelector(".rejected-box");
  await look("studio-sequence-rejected");
  await page.keyboard.press("Escape");
  await look("studio-sequence-whole");
  await page.keyboard.press("m");
  await page.waitForSelector(".lane-canvas");
  await look("studio-sequence-measures");
  await page.keyboard.press("m");
  await page.click("[aria-label='New sequence']");
  await page.waitForSelector(".tl-notice p");
  await look("studio-sequence-empty");
}

const steps = looks === "fight" ? [looksAtAFight] : looks ? [looksLikeAProduct, playsLive] : [opens, drags, isRejectedAndMoves, carriesIn, addsByKeysAndRemoves, setsACore, exports, findsTheWork, playsLive];
await taken(steps, seen, shot);
process.stdout.write(JSON.stringify(seen));
await browser.close();
