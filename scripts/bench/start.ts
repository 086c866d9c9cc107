import { performance } from 'node:perf_hooks';
import { encodeClient } from '../../daemon/backend/clients/client-record.ts';
import { clientKey } from '../../daemon/backend/clients/table.ts';
import { encodeCheckRecord } from '../../daemon/backend/events/check-record.ts';
import { checkRecordKey } from '../../daemon/backend/events/table.ts';
import type { StoreOp } from '../../daemon/backend/ports.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { nextCheckState, NO_CHECK_STATE } from '../../shared/domain/event.ts';
import type { CheckResult } from '../../shared/schemas/result.ts';
import { buildPrograms, makeStateDir, startBackend } from './backend-process.ts';
import { checkJson, CHECKS_EACH, RESULT_BYTES } from './bench-agent.ts';
import type { BenchSizes } from './bench-sizes.ts';
import { cpuMs, memoryMiB, peakMemoryMiB } from './process-figures.ts';
import { count, report } from './report.ts';

/** Clients that are written together, with all their results. */
const TOGETHER = 10;

/** How long a backend takes to start on a store of many results, one in twenty with an event, and in how much memory. */
export async function run(_seconds: number, { results }: BenchSizes): Promise<void> {
  const stateDir = await makeStateDir();
  await writeResults(stateDir, results);
  report('results', results, '', `${count(RESULT_BYTES)} bytes each, ${count(CHECKS_EACH)} of each client`);

  await buildPrograms();
  const begun = performance.now();
  await using backend = await startBackend({ stateDir });
  const seconds = (performance.now() - begun) / 1000;
  report('start to serving', seconds, 's', 'goal 5 for 1,000,000');
  report('CPU of the start', cpuMs(backend.pid) / 1000, 's');
  report('memory after the start', memoryMiB(backend.pid), 'MiB');
  report('peak of the start', peakMemoryMiB(backend.pid), 'MiB', 'goal 1,600 for 1,000,000');
}

async function writeResults(dir: string, results: number): Promise<void> {
  const store = await openLevelStore(dir);
  const lease = await store.acquire('main', 30_000);
  const clients = Math.ceil(results / CHECKS_EACH);
  for (let start = 0; start < clients; start += TOGETHER) {
    const ops: StoreOp[] = [];
    for (let at = start; at < Math.min(start + TOGETHER, clients); at++) ops.push(...recordsOf(at));
    await store.write(lease, ops, [], 'process');
  }
  await store.close();
}

/** A client with its results. */
function* recordsOf(at: number): Generator<StoreOp, void, undefined> {
  const name = `agent-${String(at)}`;
  const now = Math.floor(Date.now() / 1000);
  const about = { name, address: '127.0.0.1', subscriptions: ['bench', 'linux', `client:${name}`] };
  const client = { ...about, keepalives: false, version: '1.9.0', timestamp: now };
  yield { type: 'put', key: clientKey('default', name), value: encodeClient({ client, signature: '' }) };
  for (let check = 0; check < CHECKS_EACH; check++) {
    const checkName = `check-${String(check)}`;
    const result = { ...(JSON.parse(checkJson(checkName, at + check)) as CheckResult), executed: now };
    const newId = (): string => `${name}-${checkName}`;
    const { state } = nextCheckState(NO_CHECK_STATE, result, { now, newId, tellsAll: false });
    const value = encodeCheckRecord(state, { check: result }, 0);
    yield { type: 'put', key: checkRecordKey('default', name, checkName), value };
  }
}
