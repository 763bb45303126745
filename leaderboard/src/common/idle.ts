// Work that waits until the browser is idle.
const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work));
/** Call `work` when the browser is idle, at the latest after `timeout` ms: a busy browser or a hidden window may stay busy for ten
 *  seconds. */
export const later = (work: () => void, timeout = 200) => idle(work, { timeout });
