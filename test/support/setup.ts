import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, inject, vi } from 'vitest';
import { WorkerFolder, type BegunTest } from './left-behind.ts';
import { pollDelayMs, PATIENCE } from './patience.ts';
import { propertyRuns } from './property-runs.ts';

// Attributes from outside must never reach a prototype (security S9): from here on, adding a property to
// `Object.prototype` throws in every test. The prototype is not frozen, because an ordinary object could then not have
// its own `toString` or `valueOf`.
Object.preventExtensions(Object.prototype);

// Default number of examples of a property test in the suite.
const USUAL_RUNS = 100;
if (propertyRuns(1) !== 1) (await import('fast-check')).configureGlobal({ numRuns: propertyRuns(USUAL_RUNS) });

/** Replacement for `vi.waitFor`, which times out after one second and polls at a fixed interval. */
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
    await Promise.race([delay(interval ?? pollDelayMs(performance.now() - beganMs)), late]);
  }
};

// All test files of a worker share one process; this module runs for each file.
vi.waitFor = waitPatiently;

// If a test failed to get a process id, the id is 0, -1 or NaN. Such ids would kill the process group of the test run,
// or all processes.
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  if (!Number.isSafeInteger(pid) || Math.abs(pid) <= 1) throw new Error(`no process of a test: ${String(pid)}`);
  return kill(pid, signal);
};

const folder = new WorkerFolder(join(inject('tempFolder'), process.env['VITEST_POOL_ID'] ?? '0'));
const begun: BegunTest[] = [];
beforeEach(({ task }) => void begun.push({ name: task.name, startMs: Date.now() }));
// Hooks run in reverse order, so this hook runs after the hooks of the test file.
afterAll(() => folder.clear(begun));
