import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';
import { propertyRuns } from './property-runs.ts';

// Attributes from outside must never reach a prototype (security S9): closed, such an addition throws in every test.
// Not frozen, because then an ordinary object could not be given a `toString` or `valueOf` of its own either.
Object.preventExtensions(Object.prototype);

// Properties that say nothing else try so many. In the suite that is what they do by themselves.
const USUAL_RUNS = 100;
if (propertyRuns(1) !== 1) (await import('fast-check')).configureGlobal({ numRuns: propertyRuns(USUAL_RUNS) });

const { waitFor } = vi;

/** `vi.waitFor` gives up after a second, and vitest has no setting for that as it has for `expect.poll`. */
const waitPatiently: typeof waitFor = (callback, options) =>
  waitFor(callback, { ...PATIENCE, ...(typeof options === 'number' ? { timeout: options } : options) });

// All files of a worker share one process, and this is run for each.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
