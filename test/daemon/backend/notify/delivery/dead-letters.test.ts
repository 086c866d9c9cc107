import { expect, test, vi } from 'vitest';
import { DeadLetterIndex } from '../../../../../daemon/backend/notify/delivery/dead-letter-index.ts';
import { DELIVERED_OUTCOME, permanentFailure } from '../../../../../daemon/backend/notify/delivery/outcome.ts';
import { aHandler, openHandlerRig, type HandlerRig } from '../../../../support/handler-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const handlers = { mail: aHandler(), chat: aHandler() };

/** Creates a dead letter of the handler for each of these clients. */
async function fail(rig: HandlerRig, handler: string, ...clients: readonly string[]): Promise<void> {
  const [letters, begun] = [rig.deadLetters.size, rig.startedRuns.length];
  await rig.ask(handler, ...clients.map((client): [string, string] => [client, 'disk']));
  for (let at = 0; at < clients.length; at++)
    (await rig.run(begun + at)).end(permanentFailure('the receiver rejected it'));
  await vi.waitFor(() => expect(rig.deadLetters.size).toBe(letters + clients.length));
}

const clientsOf = ({ deadLetters }: HandlerRig): string[] => deadLetters.all().map(({ client }) => client);
const idOf = ({ deadLetters }: HandlerRig, client: string): number =>
  deadLetters.all().find((letter) => letter.client === client)?.id ?? 0;

test('the limit of dead letters is 10,000 by default', () => {
  expect(new DeadLetterIndex().limit).toBe(10_000);
});

test('a retried dead letter becomes a job with the same id', async () => {
  const rig = await openHandlerRig({ handlers });
  await fail(rig, 'mail', 'a', 'b');
  const id = idOf(rig, 'a');
  expect(await rig.deadLetters.retry({ id })).toBe(1);
  const again = await rig.run(2);
  expect(again).toMatchObject({ job: { id, client: 'a', event: { id: 'a/disk' } }, attempt: 1 });
  expect(clientsOf(rig)).toEqual(['b']);
  again.end(DELIVERED_OUTCOME);
  await vi.waitFor(async () => expect(await rig.stored()).toEqual({ jobs: [idOf(rig, 'b')], dead: [idOf(rig, 'b')] }));
});

test('a retried dead letter whose job fails again becomes a dead letter again', async () => {
  const rig = await openHandlerRig({ handlers });
  await fail(rig, 'mail', 'a');
  await rig.deadLetters.retry({ all: true });
  (await rig.run(1)).end(permanentFailure('still no'));
  await vi.waitFor(() => expect(rig.deadLetters.all()).toMatchObject([{ client: 'a', reason: 'still no' }]));
});

test('all dead letters of a handler, or of all handlers, can be retried together', async () => {
  const rig = await openHandlerRig({ handlers });
  await fail(rig, 'mail', 'a', 'b');
  await fail(rig, 'chat', 'c');
  expect(await rig.deadLetters.retry({ handler: 'mail' })).toBe(2);
  expect(clientsOf(rig)).toEqual(['c']);
  expect(await rig.deadLetters.retry({ handler: 'mail' })).toBe(0);
  expect(await rig.deadLetters.retry({ all: true })).toBe(1);
  await rig.run(5);
  // Dead letters are read in parallel, so they are retried in any order.
  expect(new Set(rig.startedRuns.slice(3).map(({ job }) => job.client))).toEqual(new Set(['a', 'b', 'c']));
});

test('retried dead letters run after the jobs that are already queued', async () => {
  const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 1 }) } });
  await fail(rig, 'mail', 'a');
  await rig.ask('mail', ['b', 'disk'], ['c', 'disk']);
  await rig.deadLetters.retry({ all: true });
  for (let at = 1; at <= 3; at++) (await rig.run(at)).end(DELIVERED_OUTCOME);
  expect(rig.startedRuns.slice(1).map(({ job }) => job.client)).toEqual(['b', 'c', 'a']);
});

test('several concurrent retries of one dead letter run its job once', async () => {
  const rig = await openHandlerRig({ handlers });
  await fail(rig, 'mail', 'a');
  const id = idOf(rig, 'a');
  const [first, second] = await Promise.allSettled([rig.deadLetters.retry({ id }), rig.deadLetters.retry({ id })]);
  expect(first).toMatchObject({ status: 'fulfilled', value: 1 });
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
  (await rig.run(1)).end(DELIVERED_OUTCOME);
  await vi.waitFor(async () => expect(await rig.stored()).toEqual({ jobs: [], dead: [] }));
  expect(rig.startedRuns).toHaveLength(2);
});

test('a dropped dead letter is deleted from memory and from the store', async () => {
  const rig = await openHandlerRig({ handlers });
  await fail(rig, 'mail', 'a', 'b', 'c');
  const id = idOf(rig, 'b');
  expect(await rig.deadLetters.drop({ id })).toBe(1);
  await expect(rig.deadLetters.drop({ id })).rejects.toMatchObject({ code: 'not_found' });
  expect(clientsOf(rig)).toEqual(['a', 'c']);
  expect(await rig.deadLetters.drop({ handler: 'mail' })).toBe(2);
  expect(await rig.stored()).toEqual({ jobs: [], dead: [] });
});

test('a retry or a drop of dead letters that the store rejects changes nothing', async () => {
  const rig = await openHandlerRig({ handlers });
  await fail(rig, 'mail', 'a');
  const id = idOf(rig, 'a');
  rig.store.refuses = () => true;
  await expect(rig.deadLetters.retry({ id })).rejects.toMatchObject({ code: 'unavailable' });
  await expect(rig.deadLetters.drop({ all: true })).rejects.toMatchObject({ code: 'unavailable' });
  expect(clientsOf(rig)).toEqual(['a']);
  rig.store.refuses = () => false;
  expect(await rig.deadLetters.retry({ id })).toBe(1);
});

test('dead letters keep their order across a restart and are not run', async () => {
  const dir = await tempDir();
  const before = await openHandlerRig({ dir, handlers });
  await before.ask('mail', ['a', 'disk'], ['b', 'disk']);
  await before.run(1);
  before.startedRuns[1]?.end(permanentFailure('first'));
  await vi.waitFor(() => expect(before.deadLetters.size).toBe(1));
  before.clock.advance(5);
  before.startedRuns[0]?.end(permanentFailure('second'));
  await vi.waitFor(() => expect(before.deadLetters.size).toBe(2));
  const letters = before.deadLetters.all();
  await before.stop();

  const rig = await openHandlerRig({ dir, handlers });
  expect(rig.deadLetters.all()).toEqual(letters);
  expect(clientsOf(rig)).toEqual(['b', 'a']);
  expect(rig.last.lastDeliveryForCheck('default', 'a', 'disk', 'mail')).toMatchObject({
    state: 'failed',
    reason: 'second',
  });
  await rig.ask('mail', ['c', 'disk']);
  expect((await rig.run(0)).job.client).toBe('c');
});

test('the oldest dead letters beyond the limit are deleted, in the store too, with one warning', async () => {
  const dir = await tempDir();
  const rig = await openHandlerRig({ dir, handlers, deadLettersMax: 3 });
  await fail(rig, 'mail', 'a', 'b', 'c');
  await rig.ask('mail', ['d', 'disk'], ['e', 'disk']);
  for (const at of [3, 4]) (await rig.run(at)).end(permanentFailure('the receiver rejected it'));
  await vi.waitFor(() => expect(clientsOf(rig)).toEqual(['c', 'd', 'e']));
  await vi.waitFor(async () => expect((await rig.stored()).jobs).toHaveLength(3));
  expect(rig.deadLetters.overflowDropCount).toBe(2);
  expect(rig.log.messages('warn')).toEqual(['too many dead letters: the oldest dead letters were deleted']);
  await rig.stop();

  const smaller = await openHandlerRig({ dir, handlers, deadLettersMax: 1 });
  expect(clientsOf(smaller)).toEqual(['e']);
  await vi.waitFor(async () => expect((await smaller.stored()).dead).toEqual([idOf(smaller, 'e')]));
});

test('a long failure reason of a dead letter is truncated', async () => {
  const rig = await openHandlerRig({ handlers });
  await rig.ask('mail', ['a', 'disk']);
  (await rig.run(0)).end(permanentFailure('x'.repeat(100_000)));
  await vi.waitFor(() => expect(rig.deadLetters.all()[0]?.reason).toHaveLength(503));
});
