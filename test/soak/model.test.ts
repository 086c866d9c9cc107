import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelPair } from './model-pair.ts';
import { step } from './model-steps.ts';
import { rounds, roundsTimeoutMs } from './rounds.ts';

const RUNS = 8;
const TIMEOUT_MS = roundsTimeoutMs(RUNS, 10_000);
/** For the shortest story that fails to be told, however long it is sought. */
const REPORT_MS = 15_000;

test(
  'whatever is done in whatever order, the backend answers as the specification says',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), async (steps) => {
        await using pair = await ModelPair.open();
        await expect(pair.play(steps)).resolves.toBeUndefined();
      }),
      { numRuns: rounds(RUNS), interruptAfterTimeLimit: TIMEOUT_MS - REPORT_MS, markInterruptAsFailure: true },
    );
  },
  TIMEOUT_MS,
);
