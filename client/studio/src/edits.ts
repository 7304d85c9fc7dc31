/** What was changed and can be changed back: each change knows how to be done again and undone, on the server too. */

export interface Edit {
  readonly title: string;
  redo(): Promise<void>;
  undo(): Promise<void>;
}

/** Changes in order; one at a time, and one that fails leaves the order as it was. */
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

  /** Make a change and remember it; what was undone before can no longer be done again. */
  make(edit: Edit): Promise<void> {
    return this.next(async () => {
      await edit.redo();
      this.undone.length = 0;
      this.done.push(edit);
      if (this.done.length > this.most) this.done.shift();
    });
  }

  /** Undo the last change once those before are done; its title, empty where there is none. */
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
