// Changes that can be taken back.

interface Step<T> {
  at: number;
  before: T;
  name: string;
}

const MOST = 500;

/** Entries as they were before each change, the latest last. `restore` puts an entry back. */
export class Undo<T> {
  #steps: Step<T>[] = [];
  #restore: (at: number, before: T) => void;

  constructor(restore: (at: number, before: T) => void) {
    this.#restore = restore;
  }

  get size() {
    return this.#steps.length;
  }

  clear() {
    this.#steps = [];
  }

  /** Call it before a change. Changes that follow one another under one `name`, as letters typed into a field do, are one. */
  note(at: number, before: T, name = "") {
    if (name && this.#steps.at(-1)?.name === name) return;
    this.#steps.push({ at, before, name });
    if (this.#steps.length > MOST) this.#steps.shift();
  }

  /** Take the last change back; the place of its entry, or null if there was none. */
  takeBack() {
    const last = this.#steps.pop();
    if (!last) return null;
    this.#restore(last.at, last.before);
    return last.at;
  }
}
