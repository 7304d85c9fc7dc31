/** The state of the user's work, stored in the browser and restored after a reload. */

import type { ClipCard, ProjectView } from "./wire";

export type TabName = "clips" | "transitions" | "graph" | "sequence" | "steer" | "study";
export type LaneTab = "measures" | "origin" | "contacts";

export interface Work {
  tab: TabName;
  theme: "dark" | "light";
  search: string;
  tag: string;
  clip: string;
  a: string;
  b: string;
  slot: "a" | "b";
  cost: string;
  weights: string;
  threshold: number | "auto" | "knee";
  frames: [number, number] | null;
  length: number | "auto";
  way: string;
  feet: string;
  speed: number;
  trails: boolean;
  onion: boolean;
  /** Onion skins of a transition: the poses before and after its blend. */
  skins: boolean;
  follow: boolean;
  lane: LaneTab;
  controller: "locomotion" | "matcher" | "graph" | "sequence";
  sequence: string;
  walkSeconds: number;
  seed: number;
}

export const FRESH: Readonly<Work> = {
  tab: "clips",
  theme: "dark",
  search: "",
  tag: "",
  clip: "",
  a: "",
  b: "",
  slot: "a",
  cost: "point_cloud",
  weights: "uniform",
  threshold: "auto",
  frames: null,
  length: "auto",
  way: "equal_power",
  feet: "natural",
  speed: 1,
  trails: true,
  onion: false,
  skins: true,
  follow: true,
  lane: "measures",
  controller: "locomotion",
  sequence: "",
  walkSeconds: 20,
  seed: 1,
};

/** Read the stored work; invalid fields get their defaults. */
export function workOf(text: string | null): Work {
  const work: Work = { ...FRESH };
  if (!text) return work;
  try {
    const stored = JSON.parse(text) as Record<string, unknown>;
    for (const [key, fresh] of Object.entries(FRESH)) {
      const value = stored[key];
      const free = key === "threshold" || key === "length" || key === "frames";
      if (value !== undefined && (free || typeof value === typeof fresh)) Object.assign(work, { [key]: value });
    }
  } catch {
    return work;
  }
  return work;
}

/** Filter clips by a search and a tag: every word of the search occurs in the name, a tag or a label. */
export function chosenClips(clips: readonly ClipCard[], search: string, tag: string): ClipCard[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return clips.filter((clip) => {
    if (tag && !clip.tags.includes(tag) && !clip.labels.includes(tag)) return false;
    const text = [clip.name, ...clip.tags, ...clip.labels].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Count tags and labels of all clips, the most common first. */
export function tagCounts(clips: readonly ClipCard[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const clip of clips) {
    for (const word of new Set([...clip.tags, ...clip.labels])) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));
}

type Listener = (changed: ReadonlySet<keyof Work | "project">) => void;

/** The work with listeners; changes made together are notified together, and stored. */
export class Store {
  readonly work: Work;
  project: ProjectView | null = null;
  private readonly listeners = new Set<Listener>();
  private changed = new Set<keyof Work | "project">();
  private key = "segue-studio";

  constructor() {
    this.work = workOf(null);
  }

  /** Restore the stored work of a project. */
  open(project: ProjectView): void {
    this.project = project;
    this.key = `segue-studio:${project.kind}:${project.name}`;
    Object.assign(this.work, workOf(read(this.key)));
    const names = new Set(project.clips.map((clip) => clip.name));
    for (const slot of ["clip", "a", "b"] as const) if (!names.has(this.work[slot])) this.work[slot] = "";
    if (!this.work.clip) this.work.clip = project.clips[0]?.name ?? "";
  }

  set(change: Partial<Work>): void {
    for (const [name, value] of Object.entries(change)) {
      const key = name as keyof Work;
      if (this.work[key] === value) continue;
      Object.assign(this.work, { [key]: value });
      this.changed.add(key);
    }
    this.flush();
  }

  /** Replace the list of clips. */
  replace(project: ProjectView): void {
    this.project = project;
    this.changed.add("project");
    this.flush();
  }

  listen(listener: Listener): void {
    this.listeners.add(listener);
  }

  private flush(): void {
    if (!this.changed.size) return;
    const told = this.changed;
    this.changed = new Set();
    try {
      localStorage.setItem(this.key, JSON.stringify(this.work));
    } catch {
      // the browser may refuse storage
    }
    for (const listener of this.listeners) listener(told);
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
