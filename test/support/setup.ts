import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, inject, vi } from 'vitest';
import { WorkerFolder, type BegunTest } from './left-behind.ts';
import { lookAgainMs, PATIENCE } from './patience.ts';
import { propertyRuns } from './property-runs.ts';

// Attributes from outside must never reach a prototype (security S9): after this, adding one throws in every
// test. The prototype is not frozen, because then an ordinary object could not have its own `toString` or
// `valueOf`.
Object.preventExtensions(Object.prototype);

// The default number of examples of a property in the suite.
const USUAL_RUNS = 100;
if (propertyRuns(1) !== 1) (await import('fast-check')).configureGlobal({ numRuns: propertyRuns(USUAL_RUNS) });

/** Like `vi.waitFor`, which times out after a second and polls at a fixed interval. */
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

// All test files of a worker share one process, and this module runs for each of them.
vi.waitFor = waitPatiently;

// A process id that a test failed to get is 0, -1 or NaN, which means the process group of the run, or all
// processes.
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  if (!Number.isSafeInteger(pid) || Math.abs(pid) <= 1) throw new Error(`no process of a test: ${String(pid)}`);
  return kill(pid, signal);
};

const folder = new WorkerFolder(join(inject('tempFolder'), process.env['VITEST_POOL_ID'] ?? '0'));
const begun: BegunTest[] = [];
beforeEach(({ task }) => void begun.push({ name: task.name, startMs: Date.now() }));
// Hooks run in reverse order, so this one runs after those of the file.
afterAll(() => folder.clear(begun));
