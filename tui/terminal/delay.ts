/** Calls `task` once after `delayMs`, unless disposed of first. */
export type Delay = (delayMs: number, task: () => void) => Disposable;

/** Delays a task by the timers of the process. */
export function delay(delayMs: number, task: () => void): Disposable {
  const timer = setTimeout(task, delayMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
