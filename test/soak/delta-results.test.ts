/** @module-tag slow */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { DeltaPair } from './delta-pair.ts';
import { storyOf, type Step } from './delta-steps.ts';

const RUNS = 3;
const TIMEOUT_MS = roundsTimeoutMs(RUNS, 10_000);
const RESULT = {
  check: 'cpu',
  source: undefined,
  attributes: undefined,
  status: 0,
  output: 'fine',
  duration: undefined,
  age: 0,
} as const;
/** The first story always sends delta results; a few random stories may contain none. */
const FIRST_STORY: Step[] = [{ do: 'tell', results: [RESULT], times: 3 }];
/** Time in milliseconds reserved for reporting the shortest failing story, however long the search for it takes. */
const REPORT_MS = 15_000;
/** Maximum time in milliseconds to search for a shorter failing story. */
const SHORTEN_MS = 120_000;

test(
  'a backend that gets delta results ends in the same state as a backend that gets full results',
  async () => {
    let failedAtMs: number | undefined;
    let [told, amended] = [0, 0];
    const tell = async (steps: readonly Step[]): Promise<void> => {
      if (failedAtMs !== undefined && performance.now() - failedAtMs > SHORTEN_MS) return;
      await using pair = await DeltaPair.open();
      try {
        await expect(pair.play(steps)).resolves.toBeUndefined();
      } catch (error) {
        // Print the failing story now, in case no shorter one is found.
        if (failedAtMs === undefined)
          console.log(
            `story ${String(told + 1)} fails: ${JSON.stringify(steps).replaceAll(/x{100,}|(?:🎈){100,}/g, '...')}\n`,
            error,
          );
        failedAtMs ??= performance.now();
        throw error;
      }
      told++;
      amended += pair.deltaResultCount;
    };
    await fc.assert(fc.asyncProperty(storyOf({ min: 10, max: 20 }), tell), {
      seed: seed(),
      examples: [[FIRST_STORY]],
      numRuns: rounds(RUNS),
      interruptAfterTimeLimit: TIMEOUT_MS - REPORT_MS,
      markInterruptAsFailure: true,
    });
    console.log(`${String(told)} stories, ${String(amended)} delta results`);
    expect(amended).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
