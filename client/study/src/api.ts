/** Calls to the server of the study. They wait for a server that does not answer; answers are kept, so nothing is lost. */

import type { Motion } from "../../stage/src/index";
import { decodeBody, type Body, type PackedBody } from "../../stage/src/index";
import { unpack } from "../../studio/src/packed";
import type { Calls, Failure } from "./wire";

/** A request that the server refused, with a message for the user. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

let waiting: (isWaiting: boolean) => void = () => undefined;

/** Set the function that shows whether the server does not answer. */
export function whileWaiting(show: (isWaiting: boolean) => void): void {
  waiting = show;
}

/** Send a request until there is an answer: it is repeated once a second while the server cannot be reached. */
async function answered(path: string, order: RequestInit = {}): Promise<Response> {
  for (;;) {
    let response: Response;
    try {
      response = await fetch(path, order);
    } catch {
      waiting(true);
      await pause(1000);
      continue;
    }
    waiting(false);
    if (response.ok) return response;
    let sentence = `the server refused this (${response.status})`;
    try {
      sentence = ((await response.json()) as Failure).error || sentence;
    } catch {
      // the response holds no message
    }
    throw new Refused(response.status, sentence);
  }
}

/** Wait for a number of milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** Call the server. */
export async function call<Name extends keyof Calls>(name: Name, ask: Calls[Name][0]): Promise<Calls[Name][1]> {
  const response = await answered(`/api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ask),
  });
  return (await response.json()) as Calls[Name][1];
}

interface StimulusHead {
  readonly fps: number;
  readonly frames: number;
  readonly joints: number;
}

/** Load the motion at a place of a trial. */
export async function loadStimulus(trial: number, place: number): Promise<Motion> {
  const response = await answered(`/api/stimulus/${trial}/${place}`);
  const { head, arrays } = unpack<StimulusHead>(await response.arrayBuffer());
  const poses = arrays["poses"];
  if (!poses) throw new Refused(500, "a motion could not be loaded; reload this page");
  return { fps: head.fps, frames: head.frames, joints: head.joints, poses };
}

/** Load the figure that all motions of the study use. */
export async function loadBody(): Promise<Body> {
  const response = await answered("/api/body");
  return decodeBody((await response.json()) as PackedBody);
}
