// Values that the browser keeps between visits, if it is allowed to.

export const store = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(`evalsuite.${key}`);
    } catch {
      return null;
    }
  },
  set(key: string, value: string) {
    try {
      localStorage.setItem(`evalsuite.${key}`, value);
    } catch {
      /* not allowed here: forget */
    }
  },
};
