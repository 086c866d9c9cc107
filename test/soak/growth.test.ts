/** @module-tag slow */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { memoryMiB } from '../../scripts/bench/process-figures.ts';
import { meanOf } from '../../scripts/bench/report.ts';
import { startStorm } from '../../scripts/bench/storm.ts';
import { builtPrograms } from '../support/built-programs.ts';
import { Pty } from '../support/pty.ts';
import { rounds, roundsTimeoutMs } from './rounds.ts';

/** Default duration of the test in minutes; the option `--rounds` counts minutes here. */
const MINUTES = 0.05;
const EVENTS = 100_000;
const CHANGES_PER_SECOND = 5000;
const SAMPLE_MS = 200;
const MEMORY_MAX_MIB = 350;
/**
 * Duration in minutes from which the memory must be stable. In a shorter run the heap still grows to its normal size.
 */
const PLATEAU_MINUTES = 20;
const GROWTH_MAX = rounds(MINUTES) < PLATEAU_MINUTES ? 1.5 : 1.05;

const BUILT = builtPrograms();

test(
  'the memory of the console stays within its limit during a storm over 100,000 events',
  async () => {
    await using storm = await startStorm(EVENTS);
    storm.applyOrder({ changesPerSecond: CHANGES_PER_SECOND, pings: false });
    // The built program is started directly, because its first line contains the flags for the runtime.
    await using terminal = new Pty(join(BUILT, 'mon.js'), ['--backend', storm.url]);
    await terminal.waitForText(/LIVE.*[\s\S]*of 100,000 events shown/);

    const samples: number[] = [];
    const endsAt = performance.now() + rounds(MINUTES) * 60_000;
    while (performance.now() < endsAt) {
      await delay(SAMPLE_MS);
      samples.push(memoryMiB(terminal.pid));
    }
    const tenths = Array.from({ length: 10 }, (_, tenth) =>
      meanOf(samples.slice((tenth * samples.length) / 10, ((tenth + 1) * samples.length) / 10)),
    );
    console.log(
      `MiB by tenths of the time: ${tenths.map((value) => value.toFixed(0)).join(' ')}; most ${Math.max(...samples).toFixed(0)}`,
    );

    expect(Math.max(...tenths)).toBeLessThanOrEqual(MEMORY_MAX_MIB);
    expect(meanOf(tenths.slice(7)) / meanOf(tenths.slice(3, 6))).toBeLessThanOrEqual(GROWTH_MAX);
    terminal.write('g');
    await terminal.waitForText('row 1/100,000');
  },
  roundsTimeoutMs(MINUTES, 60_000),
);
