import { availableParallelism, loadavg } from 'node:os';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Tag of the tests in the slow tier, which only `./scripts/test --all` runs. */
export const SLOW = 'slow';

/** Maximum duration in milliseconds of a test without this tag, on a machine without other load. */
const STANDARD_MS_MAX = 5000;

/** Load per CPU core that the test suite causes by itself. */
const OWN_LOAD_MAX = 2;

/**
 * Slowdown above which a long duration does not fail the run, because it depends more on other load than on the test.
 */
const JUDGED_SLOWDOWN_MAX = 2;

/**
 * Factor of the maximum duration in a run of all tests. Soaks of the slow tier keep the disk busy, and then a test that
 * takes less than a second alone can wait for several seconds.
 */
const FULL_RUN_FACTOR = 3;

/** Number of slowest tests that are printed for each tier. */
const SHOWN = 20;

interface TimedTest {
  readonly name: string;
  readonly isSlow: boolean;
  readonly durationMs: number;
}

/**
 * Prints the slowest tests of each tier. The run fails if a test of the standard tier takes too long, unless other load
 * on the machine explains it.
 */
export class TierReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()].flatMap(timed));
    const [slow = [], standard = []] = [true, false].map((isSlow) =>
      tests.filter((test) => test.isSlow === isSlow).toSorted((one, other) => other.durationMs - one.durationMs),
    );
    for (const [tier, sorted] of [
      ['standard', standard],
      ['slow', slow],
    ] as const) {
      if (tests.length > SHOWN && sorted.length > 0)
        print(`slowest tests of the ${tier} tier:`, sorted.slice(0, SHOWN));
    }
    const factor = slowdown() * (slow.length > 0 ? FULL_RUN_FACTOR : 1);
    const limitMs = STANDARD_MS_MAX * factor;
    const tooLong = standard.filter(({ durationMs }) => durationMs > limitMs);
    if (tooLong.length === 0) return;
    print(`over ${seconds(limitMs)}: make them faster, or give them the tag ${SLOW} (CONTRIBUTING.md):`, tooLong);
    if (slowdown() <= JUDGED_SLOWDOWN_MAX) process.exitCode = 1;
    else process.stdout.write('not failed for it: the machine was busy with other work\n');
  }
}

/** Returns the factor by which other load on this machine slows down the tests; 1 without other load. */
function slowdown(): number {
  const [, loadOfFiveMinutes = 0] = loadavg();
  return Math.max(1, loadOfFiveMinutes / availableParallelism() / OWN_LOAD_MAX);
}

function timed(test: TestCase): readonly TimedTest[] {
  const durationMs = test.diagnostic()?.duration;
  if (durationMs === undefined) return [];
  return [{ name: `${test.module.relativeModuleId}: ${test.fullName}`, isSlow: test.tags.includes(SLOW), durationMs }];
}

function print(title: string, tests: readonly TimedTest[]): void {
  const lines = tests.map(({ name, durationMs }) => `${seconds(durationMs).padStart(8)}  ${name}`);
  process.stdout.write(`\n${[title, ...lines].join('\n')}\n`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
