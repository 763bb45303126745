// Values that the browser stores between visits, if its settings allow it.

/** The name under which the browser stores a key. */
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
      /* storing is not allowed: the value is lost */
    }
  },
};
