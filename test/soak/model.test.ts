/** @module-tag slow */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelPair } from './model-pair.ts';
import { step, type Step } from './model-steps.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const RUNS = 8;
const TIMEOUT_MS = roundsTimeoutMs(RUNS, 10_000);
/** Time in milliseconds reserved for reporting the shortest failing story, however long the search for it takes. */
const REPORT_MS = 15_000;
/** Maximum time in milliseconds to search for a shorter failing story. */
const SHORTEN_MS = 120_000;

test(
  'the backend responds like the reference model of the specification after any sequence of requests',
  async () => {
    let failedAtMs: number | undefined;
    let told = 0;
    const tell = async (steps: readonly Step[]): Promise<void> => {
      if (failedAtMs !== undefined && performance.now() - failedAtMs > SHORTEN_MS) return;
      await using pair = await ModelPair.open();
      try {
        await expect(pair.play(steps)).resolves.toBeUndefined();
      } catch (error) {
        // Print the failing story now, in case no shorter one is found.
        if (failedAtMs === undefined) console.log(`story ${String(told + 1)} fails: ${JSON.stringify(steps)}\n`, error);
        failedAtMs ??= performance.now();
        throw error;
      }
      told++;
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), tell), {
      seed: seed(),
      numRuns: rounds(RUNS),
      interruptAfterTimeLimit: TIMEOUT_MS - REPORT_MS,
      markInterruptAsFailure: true,
    });
    console.log(`${String(told)} stories`);
  },
  TIMEOUT_MS,
);
