import { performance } from 'node:perf_hooks';
import { encodeClient } from '../../daemon/backend/model/clients/client-record.ts';
import { clientKey } from '../../daemon/backend/model/clients/storage.ts';
import { encodeCheckRecord } from '../../daemon/backend/model/events/check-record.ts';
import { checkRecordKey } from '../../daemon/backend/model/events/storage.ts';
import type { StoreOp } from '../../daemon/backend/ports.ts';
import type { CheckEntry, Namespace } from '../../daemon/backend/model/registry/namespace.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { storeBytes } from '../../daemon/backend/store/store-size.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';
import { encodeClientPart, type Checkpoint } from '../../daemon/backend/timeline/checkpoint.ts';
import {
  checkpointKey,
  clientPartsOf,
  indexOfCheck,
  reverseId,
  TIMELINE_HEAD,
  timelineOf,
  timeOf,
} from '../../daemon/backend/model/timeline/storage.ts';
import { nextCheckState } from '../../shared/domain/event.ts';
import { isCheckpointDue } from '../../shared/domain/timeline/past.ts';
import { stateChangeOf } from '../../shared/domain/timeline/state-change.ts';
import type { CheckResult } from '../../shared/schemas/result.ts';
import type { PastChanges, PastState } from '../../shared/schemas/timeline.ts';
import { buildPrograms, makeStateDir, startBackend } from './backend-process.ts';
import type { BenchSizes } from './bench-sizes.ts';
import { memoryMiB, peakMemoryMiB } from './process-figures.ts';
import { formatNumber, quantileOf, reportFigure, timesOf } from './report.ts';

const NAMESPACE_NAME = 'default';
const CLIENT_COUNT = 10_000;
const CHECKS_PER_CLIENT = 10;
const WEEK_US = 7 * 24 * 3600 * 1e6;
/** Number of transitions that are written in one batch. */
const BATCH_TRANSITIONS = 2000;
const MEASURED_TIMES = 40;
const STEP_COUNT = 200;

/**
 * Measures how long a backend takes to return the state at any moment of a week, and how much memory that needs. There
 * are 100,000 checks, of which half have an event at any time. The benchmark writes the week with the code of the
 * backend, in much less than a week.
 */
export async function measureTravel(_seconds: number, { transitions }: BenchSizes): Promise<void> {
  const stateDir = await makeStateDir();
  const untilUs = Date.now() * 1000;
  const week = new WeekOfTransitions(untilUs - WEEK_US);
  await week.write(stateDir, transitions);
  const size = (await storeBytes(stateDir)) ?? NaN;
  reportFigure(
    'transitions',
    transitions,
    '',
    `of ${formatNumber(CLIENT_COUNT * CHECKS_PER_CLIENT)} checks, ${formatNumber(size / 1e6)} MB in all`,
  );
  reportFigure(
    'checkpoints',
    week.checkpoints,
    '',
    `${formatNumber(week.checkpointBytes / 1e6)} MB before compression`,
  );

  await buildPrograms();
  await using backend = await startBackend({ stateDir, isLoopWatched: true });
  const before = memoryMiB(backend.pid);
  const ask = async (query: string): Promise<PastState> => {
    const answer = await fetch(`${backend.url}/api/mon/v1/timeline/state?${query}`);
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as PastState;
  };
  await ask(`at=${String(Math.floor(untilUs / 1000) - 1000)}`);
  await backend.loopDelay();
  const times: number[] = [];
  let events = 0;
  for (let at = 0; at < MEASURED_TIMES; at++) {
    const atMs = Math.floor((untilUs - WEEK_US * ((at + 0.5) / MEASURED_TIMES)) / 1000);
    const begun = performance.now();
    events = Math.max(events, (await ask(`at=${String(atMs)}&limit=1000`)).counts.events);
    times.push(performance.now() - begun);
  }
  reportFigure('events of a moment, the most', events, '');
  reportFigure(
    'a moment of the week, median / the longest',
    [quantileOf(times, 0.5), Math.max(...times)],
    'ms',
    'goal 1,000',
  );
  reportFigure(
    'a step to the change before, p50 / p99',
    await measureSteps(backend.url, Math.floor(untilUs / 1000) - 1000),
    'ms',
    'goal 300',
  );
  const { p999, max } = (await backend.loopDelay()).late;
  reportFigure('event loop late meanwhile, p99.9 / most', [p999, max], 'ms');
  reportFigure('memory before / peak', [before, peakMemoryMiB(backend.pid)], 'MiB');
}

/** Measures steps from one change to the previous change, as the console requests them when nothing is prefetched. */
async function measureSteps(url: string, fromMs: number): Promise<number[]> {
  let from = fromMs;
  let at = fromMs - 1;
  const times = await timesOf(STEP_COUNT, async () => {
    const answer = await fetch(`${url}/api/mon/v1/timeline/changes?from=${String(from)}&at=${String(at)}`);
    if (!answer.ok) throw new Error(await answer.text());
    const { too_many_changes: isTooMany, previous } = (await answer.json()) as PastChanges;
    if (isTooMany || previous === null) throw new Error('a step is told by what is different');
    from = at;
    at = previous;
  });
  return [quantileOf(times, 0.5), quantileOf(times, 0.99)];
}

/** Generates a week of transitions, evenly distributed over time. */
class WeekOfTransitions {
  readonly #namespace: Namespace;
  readonly #entries: CheckEntry[] = [];
  readonly #beginUs: number;
  checkpoints = 0;
  checkpointBytes = 0;
  #newest: Required<Checkpoint>;

  constructor(beginUs: number) {
    this.#beginUs = beginUs;
    const registry = new Registry(TABLES);
    this.#namespace = registry.namespace(NAMESPACE_NAME);
    for (let at = 0; at < CLIENT_COUNT; at++) {
      const client = this.#namespace.loadClient(buildClient(at), { signature: '' });
      for (let check = 0; check < CHECKS_PER_CLIENT; check++) {
        this.#entries.push(this.#namespace.ensureCheck(client, `check-${String(check)}`));
      }
    }
    this.#newest = { from: 0, id: beginUs, count: 0, rows: 0, era: 0 };
  }

  async write(dir: string, transitions: number): Promise<void> {
    const store = await openLevelStore(dir);
    const lease = await store.acquire('main', 3_600_000);
    let ops: StoreOp[] = [];
    let id = this.#beginUs;
    const save = async (): Promise<void> => {
      await store.write(lease, ops, [], 'process');
      ops = [];
    };
    // Each check gets its first transition before the random ones, because a checkpoint could not distinguish a check
    // that has had none.
    for (let at = 0; at < transitions; at++) {
      id = this.#beginUs + Math.floor(((at + 1) * WEEK_US) / (transitions + 2));
      const entry = this.#entries[at < this.#entries.length ? at : Math.floor(Math.random() * this.#entries.length)];
      if (entry !== undefined) ops.push(...this.#toggle(entry, id));
      if (ops.length >= 2 * BATCH_TRANSITIONS) await save();
      const age = {
        transitions: at + 1 - this.#newest.count,
        rows: this.#newest.rows,
        ageMs: timeOf(id - this.#newest.id),
      };
      if (isCheckpointDue(age)) for (const part of this.#checkpoint(id + 1, at + 1)) await store.write(lease, part, []);
    }
    const head = { since: timeOf(this.#beginUs), last: id, count: transitions, isWhole: true };
    ops.push({ type: 'put', key: TIMELINE_HEAD.key(new Registry(TABLES), 'head'), value: JSON.stringify(head) });
    await save();
    for (let at = 0; at < CLIENT_COUNT; at++) {
      const client = buildClient(at);
      ops.push({
        type: 'put',
        key: clientKey(NAMESPACE_NAME, client.name),
        value: encodeClient({ client, signature: '' }),
      });
      for (const { name, state, status = 0 } of this.#namespace.clients.get(client.name)?.checks.values() ?? []) {
        const value = encodeCheckRecord(state, { check: resultOf(name, status, Math.floor(id / 1e6)) }, 0);
        ops.push({ type: 'put', key: checkRecordKey(NAMESPACE_NAME, client.name, name), value });
      }
      if (ops.length >= BATCH_TRANSITIONS) await save();
    }
    await save();
    await store.close();
  }

  /** Returns the store operations of a transition: a passing check fails, or a failing check passes. */
  #toggle(entry: CheckEntry, id: number): readonly StoreOp[] {
    const { client, name, state: before } = entry;
    const seconds = Math.floor(id / 1e6);
    const result = resultOf(name, before.event === undefined ? 1 + (id % 2) : 0, seconds);
    const { state } = nextCheckState(before, result, { now: seconds, newId: () => name, notifiesOk: false });
    const change = stateChangeOf(before, state);
    this.#namespace.setCheck(entry, state, { status: result.status, executed: seconds } as CheckResult, result.output);
    if (change === undefined) return [];
    const text = JSON.stringify({ ...change, output: result.output, client: client.name, check: name });
    const statuses = `${String(change.was ?? '')}>${String(change.status ?? '')}`;
    const reversedId = reverseId(id);
    return [
      { type: 'put', key: [...timelineOf(NAMESPACE_NAME), reversedId], value: text },
      { type: 'put', key: [...indexOfCheck(NAMESPACE_NAME, client.name, name), reversedId], value: statuses },
    ];
  }

  *#checkpoint(id: number, transitionCount: number): Generator<StoreOp[], void> {
    const reversedId = reverseId(id);
    let rows = 0;
    let after: string | undefined;
    let part = 0;
    do {
      const taken = encodeClientPart(this.#namespace, id, after);
      rows += taken.rows;
      ({ after } = taken);
      this.checkpointBytes += taken.text?.length ?? 0;
      if (taken.text !== undefined) {
        yield [{ type: 'put', key: [...clientPartsOf(reversedId, NAMESPACE_NAME), part++], value: taken.text }];
      }
    } while (after !== undefined);
    this.#newest = { from: id, id: id + 1, count: transitionCount, rows, era: 0 };
    this.checkpoints++;
    yield [{ type: 'put', key: checkpointKey(reversedId), value: JSON.stringify(this.#newest) }];
  }
}

function buildClient(at: number): Parameters<Namespace['loadClient']>[0] {
  const name = `web-${String(at).padStart(5, '0')}`;
  return {
    name,
    address: '10.0.0.1',
    subscriptions: ['linux', `client:${name}`],
    version: '1.9.0',
    timestamp: 0,
  };
}

function resultOf(name: string, status: number, seconds: number): CheckResult {
  const output = `${status === 0 ? 'OK' : 'CRITICAL'} - free space: / ${String(seconds % 4096)} MiB (56% inode=88%)`;
  return { name, status, output, interval: 60, issued: seconds, executed: seconds };
}
