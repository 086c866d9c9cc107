/** @module-tag slow */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { ShortPair } from './short-pair.ts';
import { storyOf, type Step } from './short-steps.ts';

const RUNS = 2;
const TIMEOUT_MS = roundsTimeoutMs(RUNS, 10_000);
/** Time for the shrunk story to be reported, however long the search takes. */
const REPORT_MS = 15_000;
/** Time for the search for a shorter failing story. */
const SHORTEN_MS = 120_000;

test(
  'a backend that receives delta results ends in the same state as one that receives full results',
  async () => {
    let failedAtMs: number | undefined;
    let [told, amended] = [0, 0];
    const tell = async (steps: readonly Step[]): Promise<void> => {
      if (failedAtMs !== undefined && performance.now() - failedAtMs > SHORTEN_MS) return;
      await using pair = await ShortPair.open();
      try {
        await expect(pair.play(steps)).resolves.toBeUndefined();
      } catch (error) {
        // Printed now, in case no shorter story is found.
        if (failedAtMs === undefined)
          console.log(
            `story ${String(told + 1)} fails: ${JSON.stringify(steps).replaceAll(/x{100,}|(?:🎈){100,}/g, '...')}\n`,
            error,
          );
        failedAtMs ??= performance.now();
        throw error;
      }
      told++;
      amended += pair.amended;
    };
    await fc.assert(fc.asyncProperty(storyOf({ min: 10, max: 20 }), tell), {
      seed: seed(),
      numRuns: rounds(RUNS),
      interruptAfterTimeLimit: TIMEOUT_MS - REPORT_MS,
      markInterruptAsFailure: true,
    });
    console.log(`${String(told)} stories, ${String(amended)} results told by what differs`);
    expect(amended).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
