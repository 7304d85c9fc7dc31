/** Calls to the server. Expected errors are a `Sentence`, whose message can be shown to the user. */

import { decodeBody, type Body, type PackedBody } from "../../stage/src/index";
import { framesOf, type MadeFrames } from "./arranged";
import { motionOf, unpack, type LoadedMotion } from "./packed";
import type { Calls, Failure, ImportView, PackedCalls } from "./wire";

/** An error whose message can be shown to the user. */
export class Sentence extends Error {}

/** Message shown while there is no connection. */
export const GONE = "the server does not answer. This page reconnects automatically; if the studio was closed, start it again and open the address that it prints";

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
    // the response holds no message
  }
  throw new Sentence(sentence);
}

function post(name: string, ask: unknown): Promise<Response> {
  return answered(fetch(`/api/${name}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(ask) }));
}

/** Call the server. */
export async function call<Name extends keyof Calls>(name: Name, ask: Calls[Name][0]): Promise<Calls[Name][1]> {
  return (await (await post(name, ask)).json()) as Calls[Name][1];
}

/** Make a sequence: the server sends only the frames that an edit changed, the others are those of `before`. */
export async function arrange(script: PackedCalls["arrange"][0]["script"], before: MadeFrames | null): Promise<MadeFrames> {
  const response = await post("arrange", { script, base: before?.view.number ?? 0 });
  const made = framesOf(await response.arrayBuffer(), before);
  rememberMotion(made.loaded);
  return made;
}

const MOST = 24;
const motions = new Map<string, Promise<LoadedMotion>>();
const bodies = new Map<string, Promise<Body>>();

/** Load a motion by its identifier; the last few stay in memory. */
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

/** Cache a motion that the page has already, so that it is not fetched. */
function rememberMotion(loaded: LoadedMotion): void {
  for (const word of motions.keys()) if (word.startsWith("sequence:")) motions.delete(word);
  motions.set(loaded.word, Promise.resolve(loaded));
}

/** Remove a motion from the cache after it was read again. */
export function forgetMotion(word: string): void {
  motions.delete(word);
}

/** Load the body of a motion; each body is fetched once. */
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

/** Load the costs of a comparison, row by row. */
export async function loadMatrix(id: number): Promise<Float32Array> {
  const response = await answered(fetch(`/api/matrix/${id}`));
  const values = unpack<object>(await response.arrayBuffer()).arrays["values"];
  if (!values) throw new Sentence("the cost matrix could not be loaded; choose the two clips again");
  return values;
}

/** Upload a dropped file. */
export async function importFile(file: File): Promise<ImportView> {
  const response = await answered(fetch(`/api/import/${encodeURIComponent(file.name)}`, { method: "PUT", body: file }));
  return (await response.json()) as ImportView;
}

/** Return the address of a motion's thumbnail. */
export function thumbnail(word: string): string {
  return `/api/thumbnail/${encodeURIComponent(word)}`;
}
