import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelPair } from './model-pair.ts';
import { step } from './model-steps.ts';
import { rounds, roundsTimeoutMs } from './rounds.ts';

const RUNS = 20;

test(
  'whatever is done in whatever order, the backend answers as the specification says',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), async (steps) => {
        await using pair = await ModelPair.open();
        for (const given of steps) {
          const { status, expected } = await pair.take(given);
          expect(status).toBe(expected);
          expect(await pair.actual()).toEqual(pair.expected());
        }
      }),
      { numRuns: rounds(RUNS) },
    );
  },
  roundsTimeoutMs(RUNS, 3000),
);
