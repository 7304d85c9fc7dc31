/** Calls to the server. What goes wrong is a `Sentence`: one that can be shown as it is. */

import { decodeBody, type Body, type PackedBody } from "../../stage/src/index";
import { framesOf, type MadeFrames } from "./arranged";
import { motionOf, unpack, type LoadedMotion } from "./packed";
import type { Calls, Failure, ImportView, PackedCalls } from "./wire";

/** An error whose message is a sentence for a person. */
export class Sentence extends Error {}

/** What is said while the connection is not there. */
export const GONE = "the server does not answer. This page comes back by itself; if the studio was closed, start it again and open the address that it prints";

async function answered(request: Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await request;
  } catch {
    throw new Sentence(GONE);
  }
  if (response.ok) return response;
  let sentence = `the server refused this (${response.status})`;
  try {
    sentence = ((await response.json()) as Failure).error || sentence;
  } catch {
    // no sentence came along
  }
  throw new Sentence(sentence);
}

function post(name: string, ask: unknown): Promise<Response> {
  return answered(fetch(`/api/${name}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(ask) }));
}

/** Ask for one of the calls. */
export async function call<Name extends keyof Calls>(name: Name, ask: Calls[Name][0]): Promise<Calls[Name][1]> {
  return (await (await post(name, ask)).json()) as Calls[Name][1];
}

/** Make a sequence: the frames that the page has, with those that an edit changed. */
export async function arrange(script: PackedCalls["arrange"][0]["script"], before: MadeFrames | null): Promise<MadeFrames> {
  const response = await post("arrange", { script, base: before?.view.number ?? 0 });
  const made = framesOf(await response.arrayBuffer(), before);
  rememberMotion(made.loaded);
  return made;
}

const MOST = 24;
const motions = new Map<string, Promise<LoadedMotion>>();
const bodies = new Map<string, Promise<Body>>();

/** A motion by its word; the last few stay in memory. */
export function loadMotion(word: string): Promise<LoadedMotion> {
  const known = motions.get(word);
  if (known) {
    motions.delete(word);
    motions.set(word, known);
    return known;
  }
  const path = `/api/motion/${encodeURIComponent(word)}`;
  const coming = answered(fetch(path))
    .then((response) => response.arrayBuffer())
    .then((bytes) => motionOf(word, bytes));
  motions.set(word, coming);
  coming.catch(() => motions.delete(word));
  for (const old of motions.keys()) {
    if (motions.size <= MOST) break;
    motions.delete(old);
  }
  return coming;
}

/** Take a motion that is here already, so that it is not fetched. */
function rememberMotion(loaded: LoadedMotion): void {
  for (const word of motions.keys()) if (word.startsWith("sequence:")) motions.delete(word);
  motions.set(loaded.word, Promise.resolve(loaded));
}

/** Forget a motion: it was read anew. */
export function forgetMotion(word: string): void {
  motions.delete(word);
}

/** The body of a motion, each once. */
export function loadBody(motion: LoadedMotion): Promise<Body> {
  const key = motion.head.body;
  let coming = bodies.get(key);
  if (!coming) {
    coming = answered(fetch(`/api/body/${encodeURIComponent(motion.word)}`))
      .then((response) => response.json())
      .then((packed) => decodeBody(packed as PackedBody));
    coming.catch(() => bodies.delete(key));
    bodies.set(key, coming);
  }
  return coming;
}

/** Costs of a comparison, row after row. */
export async function loadMatrix(id: number): Promise<Float32Array> {
  const response = await answered(fetch(`/api/matrix/${id}`));
  const values = unpack<object>(await response.arrayBuffer()).arrays["values"];
  if (!values) throw new Sentence("the cost matrix did not come; choose the two clips again");
  return values;
}

/** Send a file that was dropped. */
export async function importFile(file: File): Promise<ImportView> {
  const response = await answered(fetch(`/api/import/${encodeURIComponent(file.name)}`, { method: "PUT", body: file }));
  return (await response.json()) as ImportView;
}

/** Address of a small picture of a motion. */
export function thumbnail(word: string): string {
  return `/api/thumbnail/${encodeURIComponent(word)}`;
}
