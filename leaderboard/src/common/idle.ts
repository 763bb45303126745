// Runs work when the browser is idle; in browsers without `requestIdleCallback`, after the present task.
const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work));
/** Call `work` when the browser is idle, at the latest after `timeout` ms: a hidden window may not be idle for ten seconds. */
export const whenIdle = (work: () => void, timeout = 200) => idle(work, { timeout });
