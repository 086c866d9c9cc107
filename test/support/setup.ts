import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, inject, vi } from 'vitest';
import { WorkerFolder, type BegunTest } from './left-behind.ts';
import { lookAgainMs, PATIENCE } from './patience.ts';
import { propertyRuns } from './property-runs.ts';

// Attributes from outside must never reach a prototype (security S9): closed, such an addition throws in every test.
// Not frozen, because then an ordinary object could not be given a `toString` or `valueOf` of its own either.
Object.preventExtensions(Object.prototype);

// Properties that say nothing else try so many. In the suite that is what they do by themselves.
const USUAL_RUNS = 100;
if (propertyRuns(1) !== 1) (await import('fast-check')).configureGlobal({ numRuns: propertyRuns(USUAL_RUNS) });

/** As `vi.waitFor`, which gives up after a second, and looks at one pace however long it waits. */
const waitPatiently: typeof vi.waitFor = async (callback, options) => {
  const { timeout = PATIENCE.timeout, interval } = typeof options === 'number' ? { timeout: options } : (options ?? {});
  const beganMs = performance.now();
  const giveUp = new AbortController();
  const bound = setTimeout(() => giveUp.abort(), timeout);
  const late = once(giveUp.signal, 'abort').then(() => undefined);
  let problem: unknown = new Error('what is waited for did not answer in time');
  for (;;) {
    const [look] = (await Promise.race([Promise.allSettled([(async () => callback())()]), late])) ?? [];
    if (look?.status === 'fulfilled') {
      clearTimeout(bound);
      return look.value;
    }
    problem = look?.reason ?? problem;
    if (giveUp.signal.aborted) throw problem;
    await Promise.race([delay(interval ?? lookAgainMs(performance.now() - beganMs)), late]);
  }
};

// All files of a worker share one process, and this is run for each.
vi.waitFor = waitPatiently;

// The number of a process that a test did not learn is 0, -1 or NaN: the process group of the run, or all processes.
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  if (!Number.isSafeInteger(pid) || Math.abs(pid) <= 1) throw new Error(`no process of a test: ${String(pid)}`);
  return kill(pid, signal);
};

const folder = new WorkerFolder(join(inject('tempFolder'), process.env['VITEST_POOL_ID'] ?? '0'));
const begun: BegunTest[] = [];
beforeEach(({ task }) => void begun.push({ name: task.name, startMs: Date.now() }));
// Hooks run last that were made first, so this one comes after those of the file.
afterAll(() => folder.clear(begun));
