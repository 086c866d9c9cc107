/** Calls `task` once after `delayMs`, unless the returned object is disposed of before. */
export type Delay = (delayMs: number, task: () => void) => Disposable;

/** Calls a task after a delay, with a timer of Node.js. */
export function startDelay(delayMs: number, task: () => void): Disposable {
  const timer = setTimeout(task, delayMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
