import { expect, test, vi } from 'vitest';
import { escalationChangeText } from '../../../../../shared/domain/notify/escalation-change.ts';
import { handlerSchema } from '../../../../../shared/schemas/handler.ts';
import type { EventRow } from '../../../../../shared/schemas/feed.ts';
import type { Report } from '../../../../../shared/schemas/report.ts';
import type { PastState, TimelinePage } from '../../../../../shared/schemas/timeline.ts';
import { BackendRig } from '../../../../support/backend-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const MON = '/api/mon/v1';
const MINUTE = 60_000;
const DISK = { client: 'web-1', check: 'disk' };

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const PAGE = {
  type: 'escalation',
  steps: [{ notify: ['chat'] }, { after: '10m', notify: ['ada', 'bob'] }, { after: '30m', notify: ['chat'] }],
};
const HANDLERS = new Map(
  Object.entries({ chat: PIPE, ada: PIPE, bob: { ...PIPE, severities: ['warning'] }, page: PAGE }).map(
    ([name, definition]) => [name, handlerSchema.parse(definition)],
  ),
);

/** Returns the texts of the transitions of the check, the oldest first. */
async function story({ administer }: BackendRig): Promise<readonly string[]> {
  const { body } = await administer('GET', `${MON}/timeline?client=web-1&check=disk`);
  return (body as TimelinePage).transitions
    .toReversed()
    .map(({ kind, escalation }) => (escalation === undefined ? kind : escalationChangeText(escalation)));
}

async function report({ administer }: BackendRig, status: number): Promise<void> {
  const body = { source: 'web-1', name: 'disk', status, output: 'full', handlers: ['page'] };
  expect((await administer('POST', '/results', body)).status).toBe(202);
}

/** Waits until the last transition is this one: the timers update escalations after the commit of a change. */
async function until(rig: BackendRig, last: string): Promise<void> {
  await vi.waitFor(async () => expect((await story(rig)).at(-1)).toBe(last));
}

test('the timeline and the report of an event tell which step notified whom, and why it paused', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  await report(rig, 2);
  rig.clock.advance(10 * MINUTE);
  await until(rig, 'page: step 2 of 3 notified ada');
  await rig.administer('POST', `${MON}/acknowledgements`, { ...DISK, owner: 'ada' });
  await until(rig, 'page: paused after step 2 of 3: the event is acknowledged');
  rig.clock.advance(60 * MINUTE);
  await rig.administer('DELETE', `${MON}/acknowledgements/web-1/disk`);
  await until(rig, 'page: resumed after step 2 of 3');
  rig.clock.advance(20 * MINUTE);
  await until(rig, 'page: step 3 of 3 notified chat');
  rig.clock.advance(MINUTE);
  await report(rig, 0);
  expect(await story(rig)).toEqual([
    'create',
    'page: step 1 of 3 notified chat',
    'page: step 2 of 3 notified ada',
    'acknowledge',
    'page: paused after step 2 of 3: the event is acknowledged',
    'unacknowledge',
    'page: resumed after step 2 of 3',
    'page: step 3 of 3 notified chat',
    'resolve',
  ]);

  const { escalations } = (await rig.administer('GET', `${MON}/report`)).body as Report;
  const start = ManualClock.START_MS;
  const step = { handler: 'page', of: 3, targets: ['web-1/disk'], count: 1 };
  expect(escalations).toEqual({
    count: 3,
    steps: [
      { ...step, at: start + 90 * MINUTE, step: 3, notified: ['chat'] },
      { ...step, at: start + 10 * MINUTE, step: 2, notified: ['ada'] },
      { ...step, at: start, step: 1, notified: ['chat'] },
    ],
  });
});

test('a transition of an escalation leaves the past event as it was', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  rig.clock.advance(MINUTE);
  await report(rig, 2);
  const [before] = (await rig.administer('GET', `${MON}/events`)).body as readonly EventRow[];
  rig.clock.advance(10 * MINUTE);
  await until(rig, 'page: step 2 of 3 notified ada');
  rig.clock.advance(MINUTE);
  const at = rig.clock.now();
  const { body } = await rig.administer('GET', `${MON}/timeline/state?at=${String(at)}`);
  expect((body as PastState).events).toMatchObject([
    { ...DISK, status: 2, since: before?.since, output: 'full', occurrences: 1 },
  ]);
});

test('a search in the timeline finds the steps of an escalation by its name', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  await report(rig, 2);
  const { body } = await rig.administer('GET', `${MON}/timeline?q=kind=escalate%20escalation=page`);
  expect((body as TimelinePage).transitions).toMatchObject([{ kind: 'escalate', ...DISK, was: 2, status: 2 }]);
});
