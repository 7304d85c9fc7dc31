/** Undo history: each change can be undone and redone, also on the server. */

export interface Edit {
  readonly title: string;
  redo(): Promise<void>;
  undo(): Promise<void>;
}

/** Changes in order, applied one at a time; one that fails leaves the history unchanged. */
export class Edits {
  private readonly done: Edit[] = [];
  private readonly undone: Edit[] = [];
  private busy: Promise<unknown> = Promise.resolve();

  constructor(private readonly most = 200) {}

  get undoes(): string {
    return this.done.at(-1)?.title ?? "";
  }

  get redoes(): string {
    return this.undone.at(-1)?.title ?? "";
  }

  /** Make a change and add it to the history; changes undone before can no longer be redone. */
  make(edit: Edit): Promise<void> {
    return this.next(async () => {
      await edit.redo();
      this.undone.length = 0;
      this.done.push(edit);
      if (this.done.length > this.most) this.done.shift();
    });
  }

  /** Undo the last change after all pending ones; return its title, empty if there is none. */
  undo(): Promise<string> {
    return this.next(() => this.step(this.done, this.undone, "undo"));
  }

  redo(): Promise<string> {
    return this.next(() => this.step(this.undone, this.done, "redo"));
  }

  private async step(from: Edit[], to: Edit[], way: "undo" | "redo"): Promise<string> {
    const edit = from.at(-1);
    if (!edit) return "";
    await edit[way]();
    from.pop();
    to.push(edit);
    return edit.title;
  }

  private next<T>(work: () => Promise<T>): Promise<T> {
    const coming = this.busy.then(work);
    this.busy = coming.catch(() => undefined);
    return coming;
  }
}
