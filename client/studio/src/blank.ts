/** Message on an empty stage, with a button for the next action. */

import { h, put, sentence } from "./dom";
import type { StageView } from "./stage_view";
import type { Store } from "./store";

export interface BlankWords {
  readonly words: string;
  /** A button below the message. */
  readonly way?: { readonly word: string; go(): void };
  /** Whether the tab needs clips; if there are none, the message asks for an import instead. */
  readonly needsClips?: boolean;
}

export class Blank {
  readonly element = h("div", { class: "blank", role: "status", hidden: true });

  constructor(
    private readonly view: StageView,
    private readonly store: Store,
    private readonly now: () => BlankWords | null,
    private readonly onImport: () => void,
  ) {
    view.onShown(() => this.draw());
  }

  draw(): void {
    const said = this.view.mode === "nothing" ? this.said() : null;
    this.element.hidden = said === null;
    if (!said) return;
    const { words, way } = said;
    put(this.element, h("p", {}, sentence(words)), way ? h("button", { class: "primary", onclick: () => way.go() }, way.word) : null);
  }

  private said(): BlankWords | null {
    const said = this.now();
    if (said?.needsClips === false || this.store.project?.clips.length) return said;
    return {
      words: "There is no clip here yet. Drop motion files on this page: BVH, AMC with its ASF, GLB, FBX and others",
      way: { word: "Import files", go: this.onImport },
    };
  }
}
