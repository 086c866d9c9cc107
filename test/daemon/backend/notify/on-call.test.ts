import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { send } from '../../../support/raw-http.ts';
import { startBackend } from '../../../support/running-backend.ts';

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const PEOPLE = {
  ada: { email: 'ada@example.com', notify: ['ntfy-ada', 'mail-ada'] },
  bob: { notify: ['phones'] },
};
const HANDLERS = {
  'ntfy-ada': PIPE,
  'mail-ada': { ...PIPE, severities: ['critical'] },
  'telegram-bob': PIPE,
  phones: { type: 'set', handlers: ['telegram-bob'] },
  everybody: { type: 'set', handlers: ['on-call/database'] },
};
const DAYS = { people: ['ada', 'bob'], handover: '09:00', every: '1 day', starting: '2026-01-05' };
const SECTIONS = { handlers: HANDLERS, people: PEOPLE, schedules: { database: { layers: [DAYS] } } };
const ON_CALL = { handlers: ['on-call/database'] };

const DAY_MS = 86_400_000;
const NOON_OF_ADA = Date.parse('2026-01-05T12:00:00Z');

describe('a check with the handler on-call/database (on-call 3)', () => {
  let rig: HandlingRig;
  beforeEach(async () => {
    rig = await HandlingRig.open(SECTIONS, { clock: new ManualClock(NOON_OF_ADA) });
    onTestFinished(() => rig[Symbol.asyncDispose]());
  });

  test('notifies whoever is on call at that moment', async () => {
    await rig.report(2, ON_CALL);
    expect(rig.takeRuns()).toEqual(['ntfy-ada create', 'mail-ada create']);
    rig.clock.advance(DAY_MS);
    await rig.report(2, ON_CALL);
    expect(rig.takeRuns()).toEqual(['telegram-bob create']);
  });

  test('notifies the members of a handler set that contains the schedule', async () => {
    await rig.report(1, { handlers: ['everybody'] });
    expect(rig.takeRuns()).toEqual(['ntfy-ada create']);
  });

  test('notifies those of the resolution who were notified of the problem, after a handover too', async () => {
    await rig.report(2, ON_CALL);
    rig.takeRuns();
    rig.clock.advance(DAY_MS);
    await rig.report(0, ON_CALL);
    expect(rig.takeRuns()).toEqual(['ntfy-ada resolve', 'mail-ada resolve']);
  });

  test('notifies everybody of the resolution who was notified of the problem', async () => {
    await rig.report(1, ON_CALL);
    rig.clock.advance(DAY_MS);
    await rig.report(1, ON_CALL);
    rig.takeRuns();
    await rig.report(0, ON_CALL);
    expect(rig.takeRuns()).toEqual(['ntfy-ada resolve', 'telegram-bob resolve']);
  });

  test('notifies the person of an override', async () => {
    rig.overrides = [{ id: '1', person: 'bob', fromMs: NOON_OF_ADA, untilMs: NOON_OF_ADA + 1000 }];
    await rig.report(2, ON_CALL);
    expect(rig.takeRuns()).toEqual(['telegram-bob create']);
    rig.clock.advance(1000);
    await rig.report(2, ON_CALL);
    expect(rig.takeRuns()).toEqual(['ntfy-ada create', 'mail-ada create']);
  });

  test('notifies nobody if nobody is on call, and logs an error', async () => {
    rig.reload({ ...SECTIONS, schedules: { database: { layers: [{ ...DAYS, hours: 'sat-sun' }] } } });
    await rig.report(2, ON_CALL);
    expect(rig.takeRuns()).toEqual([]);
    expect(rig.log.messages('error')).toEqual(['nobody is on call']);
  });

  test('follows a handler that a check names in addition to the schedule', async () => {
    const both = { handlers: ['ntfy-ada', 'mail-ada', 'on-call/database'] };
    await rig.report(2, both);
    rig.takeRuns();
    rig.clock.advance(DAY_MS);
    await rig.report(2, both);
    expect(rig.takeRuns()).toEqual(['ntfy-ada create', 'mail-ada create', 'telegram-bob create']);
  });
});

describe('explain and simulate', () => {
  test('name the schedule and the person', async () => {
    const alone = { people: ['ada'] };
    await using backend = await startBackend({
      settings: {
        handlers: HANDLERS,
        people: PEOPLE,
        schedules: {
          database: { layers: [alone] },
          nobody: { layers: [{ ...alone, starting: '2199-01-01' }] },
        },
      },
    });
    const handlers = ['on-call/database', 'on-call/nobody', 'on-call/unknown'];
    const result = { source: 'web-1', name: 'disk', status: 1, output: 'full', handlers };
    const call = async (method: string, target: string, body?: object): Promise<string[]> => {
      const answer = await send(backend.url, {
        method,
        target,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return (answer.body as { readonly handlers: HandlerVerdict[] }).handlers.map(
        ({ handler, verdict, reason }) => `${handler} ${verdict}: ${reason}`,
      );
    };
    const expected = [
      'ntfy-ada handle: all conditions are met; ada is on call for database',
      'mail-ada severity: its severity is warning, and the handler accepts critical; ada is on call for database',
      'on-call/nobody nobody_on_call: nobody is on call for nobody: add an override, or a layer without a gap',
      'on-call/unknown unknown_handler: no schedule unknown is defined, or the event is not in the namespace default',
    ];
    expect(await call('POST', '/api/mon/v1/simulate', result)).toEqual(expected);
    await send(backend.url, { method: 'POST', target: '/results', body: JSON.stringify(result) });
    expect(await call('GET', '/api/mon/v1/events/web-1/disk/explain')).toEqual(expected);
  });
});
