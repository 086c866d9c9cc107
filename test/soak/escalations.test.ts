/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { EscalationReceiver, type StepReceipt } from './escalation-receiver.ts';
import { EscalationWriter } from './escalation-writer.ts';
import { rounds, roundsTimeoutMs, seed, underLoad } from './rounds.ts';

const ROUNDS = 2;
const WRITERS = 3;
/** Maximum time in milliseconds that the writers run before the kill; the steps are a second apart. */
const LOAD_MS_MAX = 1500;
/** The handlers of the steps, in their order. */
const STEPS = ['first', 'second', 'third', 'fourth'];

/** Waits until each open event has notified its last step, and no delivery is queued. */
async function stepsDone(url: string): Promise<readonly EventRow[]> {
  return await vi.waitFor(
    async () => {
      const events = (await (await fetch(`${url}/api/mon/v1/events`)).json()) as readonly EventRow[];
      for (const { escalations } of events) expect(escalations).toMatchObject([{ step: STEPS.length }]);
      const { handlers } = (await (await fetch(`${url}/health?deep=1`)).json()) as { readonly handlers: object };
      expect(handlers).toMatchObject({ queued: 0, running: 0, retrying: 0, dead_letters: 0 });
      return events;
    },
    { timeout: 120_000, interval: 200 },
  );
}

/** Returns the receipts of a problem as sorted texts such as `second 2`. */
function textsOf(receipts: readonly StepReceipt[] = []): readonly string[] {
  return receipts.map(({ handler, step }) => `${handler} ${String(step)}`).toSorted();
}

const STEP_TEXTS = STEPS.map((handler, at) => `${handler} ${String(at + 1)}`);

test(
  'a backend killed at any time notifies each step of an escalation exactly once, and so its resolution',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const config = join(dir, 'config.json');
    const receiver = await EscalationReceiver.open();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const writers = Array.from({ length: WRITERS }, (_, at) => new EscalationWriter(`web-${String(at)}`, random));
    const opened = (): number => writers.reduce((sum, writer) => sum + writer.opened, 0);
    const steps = STEPS.map((handler, at) => ({ notify: [handler], ...(at > 0 && { after: at }) }));
    const handlers = {
      page: { type: 'escalation', steps },
      ...Object.fromEntries(STEPS.map((handler) => [handler, receiver.definition(handler)])),
    };
    await writeFile(config, JSON.stringify({ handlers }));
    const start = (): Promise<DaemonProcess> =>
      startDaemon({ stateDir: join(dir, 'state'), args: ['--config', config] });

    for (let round = 0; round < rounds(ROUNDS); round++) {
      await using daemon = await start();
      const running = Promise.all(writers.map((writer) => writer.run(daemon.url)));
      await underLoad(random.below(LOAD_MS_MAX), { writing: running, hasAcknowledged: () => opened() > 0 });
      await daemon.end('SIGKILL');
      await running;
    }
    await using last = await start();
    for (const writer of writers) await writer.unacknowledgeAll(last.url);
    const open = new Set((await stepsDone(last.url)).map(({ check }) => check));

    const received = Map.groupBy(receiver.receipts, ({ check }) => check);
    for (const writer of writers) {
      for (const check of writer.checksOf('open')) expect([check, open.has(check)]).toEqual([check, true]);
      for (const check of writer.checksOf('resolved')) expect([check, open.has(check)]).toEqual([check, false]);
    }
    for (const check of open)
      expect([check, ...textsOf(received.get(check))]).toEqual([check, ...STEP_TEXTS.toSorted()]);
    for (const [check, receipts] of received) {
      if (open.has(check)) continue;
      const notified = STEP_TEXTS.slice(0, receipts.length / 2);
      const resolved = STEPS.slice(0, receipts.length / 2).map((handler) => `${handler} 0`);
      expect([check, ...textsOf(receipts)]).toEqual([check, ...[...notified, ...resolved].toSorted()]);
    }
    expect(open.size).toBeGreaterThan(0);
    console.log(
      `${String(rounds(ROUNDS))} kills, ${String(opened())} problems, ${String(receiver.receipts.length)} notifications, ` +
        `none lost or twice; ${String(receiver.repeated)} deliveries repeated`,
    );
  },
  roundsTimeoutMs(ROUNDS, 15_000),
);
