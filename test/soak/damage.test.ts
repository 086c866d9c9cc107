/** @module-tag slow */
import { cp, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { storeFiles } from '../../daemon/backend/store/inspect/store-files.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../daemon/backend/store/migrations/list.ts';
import { repairStore } from '../../daemon/backend/store/repair-store.ts';
import { MonError } from '../../shared/errors.ts';
import { flip, storedValues, newestOf, writtenStore, type Story } from '../support/damaged-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 12;
const WRITES = 400;
const neverAborted = new AbortController().signal;

test(
  'a store with random damage is opened unchanged or rejected with a message, and a repair adds no false data',
  async () => {
    const random = new RandomChoices(seed());
    const stores = [await writtenStore(WRITES), await writtenStore(WRITES, true)] as const;
    const dir = await tempDir();
    const counts: Record<Outcome, number> = { whole: 0, refused: 0, accepted: 0 };
    const faults: string[] = [];
    for (let round = 0; round < rounds(ROUNDS); round++) {
      const isKilled = round % 2 === 1;
      const { dir: pristine, story } = stores[isKilled ? 1 : 0];
      const place = join(dir, 'store');
      const copy = join(dir, 'copy');
      const target = join(dir, 'repaired');
      await cp(pristine, place, { recursive: true });
      const done = await damage(place, isKilled, random);
      await cp(place, copy, { recursive: true });
      const { outcome, fault } = await startOn(place, story);
      counts[outcome]++;
      for (const found of [fault, await faultOfRepair(copy, target, story)]) {
        if (found !== undefined)
          faults.push(`${found}: ${done} of a store that was ${isKilled ? 'killed' : 'stopped'}`);
      }
      for (const one of [place, copy, target]) await rm(one, { recursive: true, force: true });
    }
    console.log(JSON.stringify(counts));
    expect(faults).toEqual([]);
  },
  roundsTimeoutMs(ROUNDS, 5000),
);

type Outcome = 'whole' | 'refused' | 'accepted';

/** Starts on a damaged store. If the backend offers to accept the loss, starts it again with the loss accepted. */
async function startOn(dir: string, story: Story): Promise<{ readonly outcome: Outcome; readonly fault?: string }> {
  const held = await storedValues(dir).catch((error: unknown) => error);
  if (held instanceof Map) {
    return isDeepStrictEqual(held, newestOf(story))
      ? { outcome: 'whole' }
      : { outcome: 'whole', fault: 'silently lost' };
  }
  if (!(held instanceof MonError) || !/is damaged: .*mon-backend repair/.test(held.message)) {
    return { outcome: 'refused', fault: String(held) };
  }
  if (!held.message.includes('--accept-loss')) return { outcome: 'refused' };
  const left = await storedValues(dir, { loss: { onAccepted: () => undefined } }).catch((error: unknown) => error);
  // The very first write identifies the store, so without it the store cannot be opened.
  const isExpected = left instanceof Map ? wasWritten(left, story) : String(left).includes('lost its beginning');
  return isExpected ? { outcome: 'accepted' } : { outcome: 'accepted', fault: `what is left: ${String(left)}` };
}

async function faultOfRepair(dir: string, target: string, story: Story): Promise<string | undefined> {
  const { lost } = await repairStore(dir, target, { signal: neverAborted, schema: schemaAfterMigrations(MIGRATIONS) });
  const held = await storedValues(target);
  if (!wasWritten(held, story)) return 'the repair made something up';
  const isWhole = isDeepStrictEqual(held, newestOf(story));
  return isWhole || lost.some(({ file }) => file !== 'CURRENT') ? undefined : 'the repair does not tell what is lost';
}

function wasWritten(held: ReadonlyMap<unknown, unknown>, story: Story): boolean {
  return [...held].every(([name, value]) => story.get(String(name))?.includes(String(value)) === true);
}

/**
 * Damages one random file of the store.
 *
 * @returns a description of the damage
 */
async function damage(dir: string, isKilled: boolean, random: RandomChoices): Promise<string> {
  const { tables, logs, manifests } = await storeFiles(dir);
  const file = random.pick(['CURRENT', ...tables, ...logs, ...manifests]);
  const path = join(dir, file);
  const { size } = await stat(path);
  // After a kill a truncated log is normal, and nothing shows whether more was written.
  const canEndEarly = isKilled && file === logs.at(-1);
  const kind = canEndEarly ? random.pick(['bit', 'sector']) : random.pick(['bit', 'sector', 'cut', 'gone']);
  const at = random.below(size);
  switch (kind) {
    case 'bit':
      await flip(path, at, random.below(8));
      break;
    case 'sector':
      for (let byte = at; byte < Math.min(at + 512, size); byte += 7) await flip(path, byte, random.below(8));
      break;
    case 'cut':
      await truncate(path, at);
      break;
    default:
      await rm(path);
  }
  return `${kind} at ${String(at)} of ${file} with ${String(size)} bytes`;
}
