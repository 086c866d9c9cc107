import { performance } from 'node:perf_hooks';
import { encodeClient } from '../../daemon/backend/model/clients/client-record.ts';
import { clientKey } from '../../daemon/backend/model/clients/storage.ts';
import { encodeCheckRecord, encodeRecordParts, encodeRenewed } from '../../daemon/backend/model/events/check-record.ts';
import { checkRecordKey } from '../../daemon/backend/model/events/storage.ts';
import type { Key, StoreOp } from '../../daemon/backend/ports.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { nextCheckState, NO_CHECK_STATE, type CheckState } from '../../shared/domain/event.ts';
import type { CheckResult } from '../../shared/schemas/result.ts';
import { buildPrograms, makeStateDir, startBackend } from './backend-process.ts';
import { checkJson, CHECKS_PER_AGENT, RESULT_BYTES } from './bench-agent.ts';
import type { BenchSizes } from './bench-sizes.ts';
import { cpuMs, memoryMiB, peakMemoryMiB } from './process-figures.ts';
import { formatNumber, reportFigure } from './report.ts';
import { compactStore } from './settle-store.ts';

/** Number of clients that are written in one batch, with all their results. */
const BATCH_CLIENTS = 10;

/** Function that returns the store operations for the client with this index and all its checks. */
type ClientWrites = (at: number) => Iterable<StoreOp>;

const FIRST_STAMP = 'first';

/**
 * Measures the start of a backend on a store of many results, one in twenty with an event, and its memory. One store
 * contains only full results; in the other, every OK result is stored as a delta to an earlier full result.
 */
export async function measureStart(_seconds: number, { results }: BenchSizes): Promise<void> {
  reportFigure(
    'results',
    results,
    '',
    `${formatNumber(RESULT_BYTES)} bytes each, ${formatNumber(CHECKS_PER_AGENT)} of each client`,
  );
  await buildPrograms();
  await measureStoreStart(results, [fullRecordsOf]);
  console.log('amended:');
  await measureStoreStart(results, [amendableRecordsOf, amendmentsOf]);
}

async function measureStoreStart(results: number, writings: readonly ClientWrites[]): Promise<void> {
  const stateDir = await makeStateDir();
  await writeResults(stateDir, results, writings);
  const begun = performance.now();
  await using backend = await startBackend({ stateDir });
  const seconds = (performance.now() - begun) / 1000;
  reportFigure('start to serving', seconds, 's', 'goal 5 for 1,000,000');
  reportFigure('CPU of the start', cpuMs(backend.pid) / 1000, 's');
  reportFigure('memory after the start', memoryMiB(backend.pid), 'MiB');
  reportFigure('peak of the start', peakMemoryMiB(backend.pid), 'MiB', 'goal 1,600 for 1,000,000');
}

async function writeResults(dir: string, results: number, writings: readonly ClientWrites[]): Promise<void> {
  const store = await openLevelStore(dir);
  const lease = await store.acquire('main', 30_000);
  const clients = Math.ceil(results / CHECKS_PER_AGENT);
  for (const writing of writings) {
    for (let start = 0; start < clients; start += BATCH_CLIENTS) {
      const ops: StoreOp[] = [];
      for (let at = start; at < Math.min(start + BATCH_CLIENTS, clients); at++) ops.push(...writing(at));
      await store.write(lease, ops, [], 'process');
    }
  }
  await store.close();
  await compactStore(dir);
}

const nameOf = (at: number): string => `agent-${String(at)}`;

function clientOf(at: number): StoreOp {
  const name = nameOf(at);
  const identity = { name, address: '127.0.0.1', subscriptions: ['bench', 'linux', `client:${name}`] };
  const client = { ...identity, keepalives: false, version: '1.9.0', timestamp: Math.floor(Date.now() / 1000) };
  return { type: 'put', key: clientKey('default', name), value: encodeClient({ client, signature: '' }) };
}

interface ReportedCheck {
  readonly key: Key;
  readonly check: CheckResult;
  readonly state: CheckState;
}

function* resultsOf(at: number): Generator<ReportedCheck, void, undefined> {
  const client = nameOf(at);
  const now = Math.floor(Date.now() / 1000);
  for (let number = 0; number < CHECKS_PER_AGENT; number++) {
    const name = `check-${String(number)}`;
    const check = { ...(JSON.parse(checkJson(name, at + number)) as CheckResult), executed: now };
    const newId = (): string => `${client}-${name}`;
    const { state } = nextCheckState(NO_CHECK_STATE, check, { now, newId, notifiesOk: false });
    yield { key: checkRecordKey('default', client, name), check, state };
  }
}

function* fullRecordsOf(at: number): Generator<StoreOp, void, undefined> {
  yield clientOf(at);
  for (const { key, check, state } of resultsOf(at)) {
    yield { type: 'put', key, value: encodeCheckRecord(state, { check }, 0) };
  }
}

function* amendableRecordsOf(at: number): Generator<StoreOp, void, undefined> {
  yield clientOf(at);
  for (const { key, check, state } of resultsOf(at)) {
    if (state.event === undefined)
      yield { type: 'amendable', key, stamp: FIRST_STAMP, parts: encodeRecordParts(state, check, 0) };
    else yield { type: 'put', key, value: encodeCheckRecord(state, { check }, 0) };
  }
}

function* amendmentsOf(at: number): Generator<StoreOp, void, undefined> {
  for (const { key, check, state } of resultsOf(at)) {
    if (state.event !== undefined) continue;
    const { executed, issued } = check;
    const renewed = { executed, issued, duration: 0.123, output: undefined };
    yield { type: 'amend', key, stamp: FIRST_STAMP, parts: encodeRenewed(state, renewed, 0) };
  }
}
