// Values that the browser keeps between visits, if it is allowed to.

/** The browser's name of a key. */
export const stored = (key: string) => `evalsuite.${key}`;

export const store = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(stored(key));
    } catch {
      return null;
    }
  },
  set(key: string, value: string) {
    try {
      localStorage.setItem(stored(key), value);
    } catch {
      /* not allowed here: forget */
    }
  },
};
