import { beforeEach, expect, test } from 'vitest';
import { CommitBoard, type Commit } from '../../../../../daemon/backend/model/transaction/commit-board.ts';
import { bytesOfText, EventCache } from '../../../../../daemon/backend/model/events/event-cache.ts';
import { Namespace, type CheckEntry } from '../../../../../daemon/backend/model/registry/namespace.ts';
import type { Change } from '../../../../../daemon/backend/ports.ts';
import { nextCheckState } from '../../../../../shared/domain/event.ts';

const CLIENT = { name: 'web', address: '10.0.0.1', subscriptions: [], keepalives: false, version: '1', timestamp: 1 };

let commits: CommitBoard;
let room: number;
let cache: EventCache<string>;
let entry: CheckEntry;
let reads: number;
beforeEach(() => {
  commits = new CommitBoard();
  room = 10_000;
  cache = new EventCache({
    commits,
    budget: () => room,
    bytesOf: (text) => (text === 'fleeting' ? undefined : text.length),
  });
  const namespace = new Namespace('default');
  entry = namespace.ensureCheck(namespace.loadClient(CLIENT, { signature: '' }), 'disk');
  fail();
  reads = 0;
});

/** Records a failing result, and changes the state of the event by the rules of the backend. */
function fail(): void {
  const check = { name: 'disk', status: 2, output: 'full', issued: 1, executed: 1 };
  const { state } = nextCheckState(entry.state, check, { now: 1, newId: () => 'id', notifiesOk: false });
  entry.client.namespace.setCheck(entry, state, check, check.output);
}

function commit(...changes: Change[]): void {
  const nothing: Omit<Commit, 'changes'> = { seq: 1, jobs: [], handlingNotes: [], results: 0, times: undefined };
  commits.announce({ ...nothing, changes });
}

const readValues = async (text = 'text', entries = [entry]): Promise<readonly (string | undefined)[]> =>
  cache.valuesOf(entries, async (missing) => {
    reads++;
    return missing.map(() => text);
  });

test('the event cache does not compute a cached value again', async () => {
  expect(await readValues('one')).toEqual(['one']);
  expect(await readValues('two')).toEqual(['one']);
  expect(reads).toBe(1);
});

test('the event cache computes only missing values and returns all values in order', async () => {
  const other = entry.client.namespace.ensureCheck(entry.client, 'load');
  await readValues('known');
  expect(await readValues('made', [other, entry, other])).toEqual(['made', 'known', 'made']);
});

test.each<{ title: string; change: Change; isReadAgain: boolean }>([
  { title: 'of the event', change: ['event', 'default', 'web', 'disk'], isReadAgain: true },
  { title: 'of another event', change: ['event', 'default', 'web', 'load'], isReadAgain: false },
  { title: 'in another namespace', change: ['event', 'other', 'web', 'disk'], isReadAgain: false },
  { title: 'of the client of the event', change: ['client', 'default', 'web'], isReadAgain: false },
])(
  'after a commit $title the event cache computes the value of the event again: $isReadAgain',
  async ({ change, isReadAgain }) => {
    await readValues('one');
    commit(change);
    expect(await readValues('two')).toEqual([isReadAgain ? 'two' : 'one']);
  },
);

test('the event cache does not keep a value that a commit changed while it was computed', async () => {
  const values = cache.valuesOf([entry], async () => {
    commit(['event', 'default', 'web', 'disk']);
    return ['old'];
  });
  expect(await values).toEqual(['old']);
  expect(await readValues('new')).toEqual(['new']);
});

test('the event cache returns no cached value after a failed commit, until memory equals the store again', async () => {
  await readValues('one');
  fail();
  expect(await readValues('two')).toEqual(['two']);
});

test('the event cache drops the value of an event that resolves', async () => {
  await readValues('one');
  entry.client.namespace.removeCheck(entry);
  commit(['event', 'default', 'web', 'disk']);
  expect(cache.bytes).toBe(0);
});

test('the event cache does not return the value of the old name for a renamed event', async () => {
  await readValues('old');
  const renamed = entry.client.namespace.ensureCheck(entry.client, 'disk-root');
  renamed.state = entry.state;
  const { bytes } = cache;
  expect(await readValues('new', [renamed])).toEqual(['new']);
  expect(cache.bytes - bytes).toBe('-root'.length);
  commit(['event', 'default', 'web', 'disk'], ['event', 'default', 'web', 'disk-root']);
  expect(cache.bytes).toBe(0);
});

test('the event cache keeps neither a value that may change without a commit nor a missing value', async () => {
  await readValues('fleeting');
  await cache.valuesOf([entry], async () => [undefined]);
  expect(await readValues('two')).toEqual(['two']);
});

test('the event cache never exceeds its budget, and a cache without a budget stays empty', async () => {
  room = 350;
  const other = entry.client.namespace.ensureCheck(entry.client, 'load');
  other.state = { ...entry.state, event: entry.state.event && { ...entry.state.event } };
  await readValues('x', [entry, other]);
  expect(cache.bytes).toBeGreaterThan(250);
  expect(cache.bytes).toBeLessThan(350);
  room = 0;
  await readValues('y', [other]);
  expect(cache.bytes).toBe(0);
});

test.each([
  { text: 'disk full', bytes: 9 },
  { text: 'Größe', bytes: 5 },
  { text: 'größer als 5 \u20ac', bytes: 28 },
])('the text $text counts as $bytes bytes in the budget of the event cache', ({ text, bytes }) => {
  expect(bytesOfText(text)).toBe(bytes);
});

test('a failed read is reported, and the event cache keeps no value of it', async () => {
  const reading = cache.valuesOf([entry], () => Promise.reject(new Error('disk')));
  await expect(reading).rejects.toThrow('disk');
  expect(await readValues('two')).toEqual(['two']);
});
