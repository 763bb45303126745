// The undo history of a person's work.

/** A change that can be taken back: the entry's index, and its content before the change. */
interface Step<T> {
  at: number;
  before: T;
  name: string;
}

const MOST_STEPS = 500;

/** The undo stack: entries as they were before each change. `restore` puts an entry back. */
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

  /** Note an entry before it changes. Consecutive changes with the same `name`, such as letters typed into a field, are one step. */
  note(at: number, before: T, name = "") {
    if (name && this.#steps.at(-1)?.name === name) return;
    this.#steps.push({ at, before, name });
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
  }

  /** Take the last change back. Returns the index of its entry, or null if there was none. */
  takeBack() {
    const last = this.#steps.pop();
    if (!last) return null;
    this.#restore(last.at, last.before);
    return last.at;
  }
}
