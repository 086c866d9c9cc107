import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import { watchdogsSchema } from '../../../../shared/schemas/watchdog.ts';
import { asking } from '../../../support/asking.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

let clock: ManualClock;
let dir: string;
let backend: Backend;

async function start(watchdogs: object): Promise<void> {
  const { program } = await loadConfig({ directories: [], env: {} });
  const definitions = { program: { ...program, watchdogs: watchdogsSchema.parse(watchdogs) } };
  backend = await openBackend({ dir, clock, batcher: { batchLimit: 1 }, definitions });
}
beforeEach(async () => {
  clock = new ManualClock();
  dir = await tempDir();
  onTestFinished(() => backend.stop());
});

const ask = (method: string, target: string, body?: unknown): ReturnType<ReturnType<typeof asking>> =>
  asking(backend.url)(method, target, body);

async function report(source: string, name: string): Promise<void> {
  const result = { name, source, output: 'x', status: 0 };
  expect((await ask('POST', '/results', result)).status).toBe(202);
}

async function sendAlert(endsAt?: string): Promise<void> {
  const alert = { labels: { alertname: 'Watchdog', severity: 'none' }, ...(endsAt !== undefined && { endsAt }) };
  expect((await ask('POST', '/api/v2/alerts', [alert])).status).toBe(200);
}

/** Returns the status and output of the result of a watchdog; undefined if there is none. */
async function resultOf(name: string): Promise<Pick<Event['check'], 'status' | 'output'> | undefined> {
  const { status: answered, body } = await ask('GET', `/results/mon.watchdogs/${name}`);
  if (answered === 404) return undefined;
  const { status, output } = (body as { readonly check: Event['check'] }).check;
  return { status, output };
}

const isOpen = async (name: string): Promise<boolean> =>
  (await ask('GET', `/events/mon.watchdogs/${name}`)).status === 200;

/** Advances the clock second by second until a watchdog has an event, or has none. */
const becomesOpen = (name: string): Promise<void> => untilOpenIs(true, name);
const becomesResolved = (name: string): Promise<void> => untilOpenIs(false, name);

async function untilOpenIs(expected: boolean, name: string): Promise<void> {
  await expect
    .poll(() => {
      clock.advance(1000);
      return isOpen(name);
    })
    .toBe(expected);
}

/** Advances the clock by some seconds. Watchdogs are evaluated every second, but not while an evaluation runs. */
function pass(seconds: number): void {
  clock.advance(seconds * 1000);
}

describe('a watchdog (watchdogs 2)', () => {
  test('a watchdog opens an event if the result of a check does not come, and resolves it when one comes', async () => {
    await start({ backup: { expect: 'check db-1/backup', within: '5m' } });
    await report('db-1', 'backup');
    pass(1);
    await expect.poll(() => resultOf('backup')).toMatchObject({ status: 0 });
    pass(298);
    expect(await isOpen('backup')).toBe(false);
    await becomesOpen('backup');
    const output = expect.stringMatching(
      /^check db-1\/backup has not come for 5m(?:\ds)?, expected every 5m$/,
    ) as string;
    expect(await resultOf('backup')).toEqual({ status: 2, output });
    await report('db-1', 'backup');
    pass(1);
    await becomesResolved('backup');
  });

  test('a watchdog opens an event if nothing ever came', async () => {
    await start({ backup: { expect: 'check db-1/backup', within: 60, check: { handlers: ['pager'], runbook: 'x' } } });
    pass(1);
    await expect.poll(() => resultOf('backup')).toMatchObject({ status: 0 });
    pass(60);
    await becomesOpen('backup');
    expect((await ask('GET', '/events/mon.watchdogs/backup')).body).toMatchObject({
      check: { output: 'check db-1/backup has never come, expected every 1m', handlers: ['pager'], runbook: 'x' },
    });
  });

  test('a watchdog for a check of any client is OK while one client sends results', async () => {
    await start({ heartbeat: { expect: 'check heartbeat', within: 60 } });
    await report('web-1', 'heartbeat');
    pass(40);
    await report('web-2', 'heartbeat');
    pass(40);
    await expect.poll(() => resultOf('heartbeat')).toMatchObject({ status: 0 });
    pass(20);
    await becomesOpen('heartbeat');
    await report('web-1', 'heartbeat');
    pass(10);
    await becomesResolved('heartbeat');
  });

  test('a watchdog for an alert opens an event when the alert has ended or is no longer sent', async () => {
    await start({ prometheus: { expect: 'alert Watchdog', within: 60 } });
    await sendAlert();
    pass(1);
    await expect.poll(() => resultOf('prometheus')).toMatchObject({ status: 0 });
    pass(60);
    await becomesOpen('prometheus');
    await sendAlert();
    pass(10);
    await becomesResolved('prometheus');
    await sendAlert(new Date(clock.now()).toISOString());
    pass(60);
    await becomesOpen('prometheus');
    expect(await resultOf('prometheus')).toMatchObject({ output: 'alert Watchdog does not fire, expected every 1m' });
  });

  test('the event of a watchdog resolves and its result is deleted when the watchdog is removed', async () => {
    await start({ backup: { expect: 'check db-1/backup', within: 60 } });
    pass(1);
    await expect.poll(() => resultOf('backup')).toBeDefined();
    pass(60);
    await becomesOpen('backup');
    await backend.stop();
    await start({});
    pass(1);
    await expect.poll(() => resultOf('backup')).toBeUndefined();
    expect(await isOpen('backup')).toBe(false);
  });
});
