/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { EscalationReceiver } from '../../soak/escalation-receiver.ts';
import { peerKeyFile, postgresOfFile } from '../../support/shared-database.ts';
import { startDaemon, type DaemonProcess } from '../../support/start-daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

const server = postgresOfFile();

const STEPS = ['first', 'second', 'third', 'fourth', 'fifth'];
const CHECKS = Array.from({ length: 20 }, (_, at) => `disk-${String(at)}`);

/** Starts a member whose handlers send to the receiver. The steps of the escalation are three seconds apart. */
async function startMember(database: string, receiver: EscalationReceiver): Promise<DaemonProcess> {
  const file = join(await tempDir(), 'config.json');
  const steps = STEPS.map((handler, at) => ({ notify: [handler], ...(at > 0 && { after: 3 * at }) }));
  const handlers = {
    page: { type: 'escalation', steps },
    ...Object.fromEntries(STEPS.map((handler) => [handler, receiver.definition(handler)])),
  };
  await writeFile(file, JSON.stringify({ 'peer-key-file': await peerKeyFile(), handlers }));
  const stateDir = await tempDir();
  const daemon = await startDaemon({ stateDir, args: ['--config', file], env: { MON_STORE: database } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

async function rows({ url }: DaemonProcess): Promise<readonly EventRow[]> {
  return (await (await fetch(`${url}/api/mon/v1/events`)).json()) as readonly EventRow[];
}

test('after the leader is killed, another member continues all escalations and notifies each step once', async () => {
  const receiver = await EscalationReceiver.open();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const database = await server().database();
  const leader = await startMember(database, receiver);
  const other = await startMember(database, receiver);
  for (const name of CHECKS) {
    const body = JSON.stringify({ source: 'web', name, output: 'x', status: 2, handlers: ['page'] });
    expect((await fetch(`${leader.url}/results`, { method: 'POST', body })).status).toBe(202);
  }
  await vi.waitFor(() => expect(receiver.receipts.filter(({ step }) => step === 2)).not.toEqual([]), 20_000);
  await leader.end('SIGKILL');
  await vi.waitFor(
    async () => {
      const steps = (await rows(other)).map(({ escalations }) => escalations?.[0]?.step);
      expect(steps).toEqual(CHECKS.map(() => STEPS.length));
      expect(receiver.receipts.filter(({ step }) => step === STEPS.length)).toHaveLength(CHECKS.length);
    },
    { timeout: 60_000, interval: 200 },
  );
  const received = receiver.receipts.map(({ check, handler, step }) => `${check} ${handler} ${String(step)}`);
  const expected = CHECKS.flatMap((check) => STEPS.map((handler, at) => `${check} ${handler} ${String(at + 1)}`));
  expect(received.toSorted()).toEqual(expected.toSorted());
}, 120_000);
