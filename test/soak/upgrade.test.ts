/** @module-tag slow */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { digestStore } from '../../daemon/backend/store/store-digest.ts';
import { writeEarlierStore } from '../../scripts/fixtures/earlier-store.ts';
import { administratorOf } from '../support/administrator.ts';
import { checkRecordsOf, onClosed } from '../support/earlier-stores.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { runUpgradeProgram } from '../support/upgrade-program.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 2;
const STORE = {
  schema: 1,
  clients: 100,
  checksEach: 100,
  outputLength: 200,
  checks: { default: ['disk', 'http'] },
} as const;
const KILLS_MAX = 3;

test(
  'an upgrade that is killed and run again has the result of an uninterrupted upgrade, offline or in a backend',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const old = join(dir, 'old');
    await writeEarlierStore(old, STORE);
    const clean = join(dir, 'clean');
    await cp(old, clean, { recursive: true });
    const durationMs = await upgradeMs(clean);
    const [expected, records] = [await onClosed(clean, digestStore), await checkRecordsOf(clean)];
    const counts = { offline: 0, serving: 0, done: 0 };

    for (let round = 0; round < rounds(ROUNDS); round++) {
      const place = join(dir, 'store');
      await cp(old, place, { recursive: true });
      // A backend that upgrades its store while serving also writes other data, so only the check records can be
      // compared.
      const isServing = round % 3 === 1;
      if (isServing) {
        counts.serving++;
        await killServing(place, random.below(durationMs));
      } else {
        for (let kills = 1 + random.below(KILLS_MAX); kills > 0; kills--) {
          counts.offline++;
          if (!(await killOffline(place, random.below(durationMs)))) counts.done++;
        }
      }
      await upgradeMs(place);
      const ended = isServing ? await checkRecordsOf(place) : await onClosed(place, digestStore);
      expect(ended).toEqual(isServing ? records : expected);
      await rm(place, { recursive: true });
    }
    console.log(
      `${String(counts.offline)} kills offline, ${String(counts.done)} of them too late; ${String(counts.serving)} of backends; ` +
        `a whole upgrade takes ${durationMs.toFixed(0)} ms`,
    );
  },
  roundsTimeoutMs(ROUNDS, 15_000),
);

const ARGS = ['upgrade', '--skip-confirm', '--no-backup', '--state-dir'];

/**
 * Runs an upgrade until it is complete.
 *
 * @returns its duration in milliseconds
 */
async function upgradeMs(dir: string): Promise<number> {
  const program = runUpgradeProgram([...ARGS, dir]);
  expect(await program.ended).toEqual({ code: 0, stderr: '' });
  return program.workedMs();
}

/**
 * Starts an upgrade, and kills it after a delay.
 *
 * @returns true if the upgrade was still running when it was killed
 */
async function killOffline(dir: string, afterMs: number): Promise<boolean> {
  const program = runUpgradeProgram([...ARGS, dir]);
  await program.begun;
  await delay(afterMs);
  program.child.kill('SIGKILL');
  const { code } = await program.ended;
  return code === null;
}

async function killServing(stateDir: string, afterMs: number): Promise<void> {
  await using daemon = await startDaemon({ stateDir });
  const answer = await fetch(`${daemon.url}/api/mon/v1/store/upgrade`, {
    method: 'POST',
    headers: administratorOf(daemon.url),
    body: '{"backup": false}',
  });
  expect(answer.status).toBe(202);
  await delay(afterMs);
  await daemon.end('SIGKILL');
}
