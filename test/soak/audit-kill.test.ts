/** @module-tag slow */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { auditIds, readAudit, readAuditHead } from '../../daemon/backend/audit/queries.ts';
import { SILENCE_RECORDS } from '../../daemon/backend/model/silences/storage.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { followAuditChain } from '../../shared/domain/audit.ts';
import { MonError } from '../../shared/errors.ts';
import type { AuditEntry, AuditRecord } from '../../shared/schemas/audit.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { SilencedEntry } from '../../shared/schemas/silenced.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 2;
const WRITERS = 6;
/** Maximum time in milliseconds that the writers run before the backend is killed. */
const LOAD_MS_MAX = 500;
/** Number of different check names, small enough that the writers change the same silences. */
const CHECKS = 20;

interface Left {
  /** The records of the audit trail, the oldest first. */
  readonly records: readonly AuditRecord[];
  /** The first broken link in the hash chain of the records; `undefined` if the chain is intact. */
  readonly problem: string | undefined;
  /** Reasons of the silences by id. */
  readonly silenced: ReadonlyMap<string, string | null>;
}

/** Reads the audit trail and the silences that a killed backend left on disk. */
async function readStore(dir: string): Promise<Left> {
  const store = await openLevelStore(dir);
  try {
    const silenced = new Map<string, string | null>();
    for await (const [, value] of store.scan([SILENCE_RECORDS.prefix])) {
      const { id, reason } = JSON.parse(value) as SilencedEntry;
      silenced.set(id, reason);
    }
    const records = await readAudit(store, await auditIds(store, {}));
    const { last, hash } = await readAuditHead(store);
    let expected = { id: last, hash };
    let problem: string | undefined;
    for (const record of records) {
      const next = followAuditChain(expected, record, (text) => createHash('sha256').update(text).digest('hex'));
      if ('problem' in next) problem ??= next.problem;
      else expected = next;
    }
    return { records: records.toReversed(), problem: problem ?? (expected.id === 0 ? undefined : 'cut off'), silenced };
  } finally {
    await store.close();
  }
}

/** Returns the silences that must exist after all changes recorded in the audit trail. */
function replay(records: readonly AuditRecord[]): Map<string, string | null> {
  const silenced = new Map<string, string | null>();
  const changes = records.flatMap((record) => (record.action === 'bulk' ? (record.after as AuditEntry[]) : record));
  for (const { target, after } of changes) {
    if (after === null || after === undefined) silenced.delete(target);
    else silenced.set(target, (after as SilencedEntry).reason);
  }
  return silenced;
}

/** Creates and clears silences until the backend has stopped. Returns the reasons of the acknowledged silences. */
async function write(
  api: ApiClient,
  random: RandomChoices,
  { name, onAcknowledged }: { readonly name: string; readonly onAcknowledged: () => void },
): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let count = 0; ; count++) {
    const reason = `${name}-${String(count)}`;
    const operations = Array.from({ length: 1 + random.below(4) }, (): BulkOperation => {
      const check = `check-${String(random.below(CHECKS))}`;
      return random.below(3) === 0 ? { op: 'clear', id: `*:${check}` } : { op: 'silence', check, reason };
    });
    try {
      await api.bulk({ operations });
    } catch (error) {
      if (error instanceof MonError && error.code === 'unavailable') return acknowledged;
      throw error;
    }
    if (operations.some(({ op }) => op === 'silence')) {
      acknowledged.push(reason);
      onAcknowledged();
    }
  }
}

test(
  'the audit trail after a kill matches the silences and contains every acknowledged change',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const stateDir = join(dir, 'state');
    const config = join(dir, 'config.json');
    // The limit is so high that no audit record is deleted: the test derives the current silences from all changes.
    await writeFile(config, JSON.stringify({ 'audit-limit': 10_000_000 }));
    let told = 0;
    for (let round = 0; round < rounds(ROUNDS); round++) {
      await using daemon = await startDaemon({ stateDir, args: ['-c', config] });
      const api = openApiClient({ backend: daemon.url, env: {} });
      const { promise: begun, resolve: onAcknowledged } = Promise.withResolvers<void>();
      const writing = Array.from({ length: WRITERS }, (_, at) =>
        write(api, random, { name: `${String(round)}-${String(at)}`, onAcknowledged }),
      );
      // Wait for the first acknowledged write: on a busy machine no fixed delay guarantees one.
      await begun;
      await delay(random.below(LOAD_MS_MAX));
      await daemon.end('SIGKILL');
      const acknowledged = (await Promise.all(writing)).flat();

      const { records, problem, silenced } = await readStore(stateDir);
      expect(problem).toBeUndefined();
      expect(silenced).toEqual(replay(records));
      const text = JSON.stringify(records);
      expect(acknowledged.filter((reason) => !text.includes(`"${reason}"`))).toEqual([]);
      expect(records.length).toBeGreaterThan(told);
      told = records.length;
    }
    console.log(`${String(rounds(ROUNDS))} kills, ${String(told)} records`);
  },
  roundsTimeoutMs(ROUNDS, 10_000),
);
