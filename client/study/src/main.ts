/** The page of a study: consent, trials, breaks, thanks. The server stores each participant's progress; this page only shows it. */

import "./style.css";
import { h, put } from "../../studio/src/dom";
import { call, loadBody, Refused, whileWaiting } from "./api";
import { consent, instructions, problem, rest, thanks, welcomeBack } from "./screens";
import { Theatre } from "./theatre";
import { TrialScreen } from "./trial";
import type { StudyView, TurnView } from "./wire";

const root = document.getElementById("study") as HTMLElement;
const notice = h("div", { class: "notice", role: "status", hidden: true }, "The server does not answer. Your answers are kept; this page reconnects automatically.");
const dark = matchMedia("(prefers-color-scheme: dark)").matches; // read once, so that the picture is the same for the complete session

document.documentElement.dataset["theme"] = dark ? "dark" : "light";
whileWaiting((waits) => (notice.hidden = !waits));

function show(screen: HTMLElement): void {
  if (root.firstElementChild !== screen) put(root, screen, notice);
}

/** Return the first turn of the current participant, after consent or the welcome screen. */
async function seated(study: StudyView): Promise<TurnView> {
  if (study.begun) {
    const turn = await call("turn", {});
    if (!turn.trial || turn.answered === 0) return turn;
    if (await welcomeBack(show, turn)) return turn;
    study = await call("leave", {});
  }
  const about = await consent(show, study);
  return call("join", { about });
}

async function sitting(screen: TrialScreen, study: StudyView): Promise<void> {
  let turn = await seated(study);
  if (turn.trial && turn.answered === 0) await instructions(show, study, turn);
  let fresh = true;
  while (turn.trial) {
    if (turn.is_break && !fresh) await rest(show, turn);
    show(screen.element);
    screen.theatre.stage.resize();
    const { purpose } = turn.trial;
    const answer = await screen.ask(turn, turn.trial, fresh);
    turn = await call("answer", answer);
    if (purpose === "training" && turn.was_right !== null) await screen.feedback(turn.was_right);
    fresh = false;
  }
  await thanks(show, turn);
  await call("leave", {});
}

async function start(): Promise<void> {
  try {
    let study = await call("study", {});
    let theatre: Theatre;
    try {
      theatre = new Theatre(await loadBody(), dark ? "dark" : "light");
    } catch (error) {
      if (error instanceof Refused) throw error;
      problem(show, "this browser has no WebGL 2, which is needed to draw the figure. Allow hardware acceleration, or open another browser.");
      return;
    }
    const screen = new TrialScreen(theatre, study.kind);
    Object.assign(globalThis, { segueStudy: { theatre, screen } }); // for debugging and tests
    for (;;) {
      await sitting(screen, study);
      study = await call("study", {});
    }
  } catch (error) {
    if (!(error instanceof Refused)) console.error(error);
    problem(show, error instanceof Refused ? error.message : "unexpected error in this page; your answers are kept.");
  }
}

void start();
