// Values that the browser stores between visits, if its settings allow it.

/** A key with the suite's name before it: other pages of the same origin store their values in the same place. */
export const prefixed = (key: string) => `evalsuite.${key}`;

export const store = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(prefixed(key));
    } catch {
      return null;
    }
  },
  set(key: string, value: string) {
    try {
      localStorage.setItem(prefixed(key), value);
    } catch {
      /* storing is not allowed: the value is lost */
    }
  },
};

/** Whether this browser lets the page store values; some refuse it to pages opened from files. */
export function canStore() {
  store.set("kept", "1");
  return store.get("kept") === "1";
}

/** The value stored as JSON under a key, or `otherwise` if there is none. */
export function storedValue<T>(key: string, otherwise: T): T {
  try {
    return JSON.parse(store.get(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}
