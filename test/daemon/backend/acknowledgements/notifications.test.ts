import { describe, expect, onTestFinished, test } from 'vitest';
import { Acknowledgements } from '../../../../daemon/backend/acknowledgements/commands.ts';
import { expireAcknowledgements } from '../../../../daemon/backend/acknowledgements/timers.ts';
import { BACKEND_ACTOR } from '../../../../daemon/backend/model/audit/mutations.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass } from '../../../support/group-rig.ts';
import type { HandlingRig, HandlingSections } from '../../../support/handling-rig.ts';
import { MAIL, openRig, PIPE, settle, silence, type SilenceRig } from '../../../support/silence-rig.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DISK = { client: 'web-1', check: 'disk' };

const acknowledge = (rig: HandlingRig, attributes = {}): Promise<unknown> =>
  new Acknowledgements(rig.batcher).acknowledge(
    DEFAULT_NAMESPACE,
    { ...DISK, owner: 'ada', ...attributes },
    BACKEND_ACTOR,
  );

const unacknowledge = (rig: HandlingRig): Promise<void> =>
  new Acknowledgements(rig.batcher).unacknowledge(DEFAULT_NAMESPACE, DISK, BACKEND_ACTOR);

/** Starts the timer that ends acknowledgements at their deadlines. */
function startTimer({ registry, batcher, clock, log }: HandlingRig): void {
  const timer = expireAcknowledgements({
    registry,
    commits: batcher.commits,
    clock,
    log,
    acknowledgements: new Acknowledgements(batcher),
  });
  onTestFinished(() => timer[Symbol.dispose]());
}

async function open(sections: HandlingSections = MAIL): Promise<SilenceRig> {
  const rig = await openRig(sections);
  startTimer(rig);
  return rig;
}

/** Returns the handler, the action, and the marks of the end of an acknowledgement of all new notifications. */
async function takeRuns(rig: HandlingRig): Promise<string[]> {
  await settle(rig);
  return rig
    .takeJobs()
    .map(({ handler, event }) =>
      [
        handler,
        event.action,
        ...(event.acknowledgement_started === true ? ['started'] : []),
        ...(event.acknowledgement_expired === true ? ['expired'] : []),
        ...(event.acknowledgement_ended === true ? ['worse'] : []),
        ...(event.acknowledged === undefined ? [] : [`acknowledged by ${event.acknowledged.by}`]),
      ].join(' '),
    );
}

/** Opens a problem that handlers are notified of, and acknowledges it. */
async function acknowledgeProblem(rig: HandlingRig, status = 2, attributes = {}): Promise<void> {
  await rig.report(status);
  expect(await takeRuns(rig)).toEqual(['default create']);
  await acknowledge(rig, attributes);
}

describe('the notifications of an acknowledged event (on-call 1)', () => {
  test('handlers get no further notification of an acknowledged event, but its resolution with the owner', async () => {
    const rig = await open();
    await acknowledgeProblem(rig);
    await rig.report(2);
    await rig.report(1);
    expect(await takeRuns(rig)).toEqual([]);
    expect(rig.log.messages('info')).toEqual(['event is acknowledged', 'event is acknowledged']);
    await rig.report(0);
    expect(await takeRuns(rig)).toEqual(['default resolve acknowledged by ada']);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['default create']);
  });

  test('a worse status ends an acknowledgement, and handlers are notified of that', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 1);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['default create worse']);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['default create']);
  });

  test('a worse status does not end a sticky acknowledgement', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 1, { sticky: true });
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('a status that improves and gets as bad as before keeps the acknowledgement', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 2);
    await rig.report(1);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('handlers are notified once when an acknowledgement expires, and again with the next result', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 2, { expire: 60 });
    rig.clock.advance(59_000);
    expect(await takeRuns(rig)).toEqual([]);
    rig.clock.advance(1000);
    expect(await takeRuns(rig)).toEqual(['default create expired']);
    rig.clock.advance(3_600_000);
    expect(await takeRuns(rig)).toEqual([]);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['default create']);
  });

  test('a later acknowledgement replaces the deadline of the earlier one', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 2, { expire: 60 });
    await acknowledge(rig, { expire: 600 });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    rig.clock.advance(540_000);
    expect(await takeRuns(rig)).toEqual(['default create expired']);
  });

  test('an acknowledgement that expired while the backend was down is notified after the start', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await acknowledgeProblem(rig, 2, { expire: 60 });
    await rig.stop();
    rig.clock.advance(3_600_000);
    const restarted = await openRig(MAIL, { dir, clock: rig.clock });
    startTimer(restarted);
    restarted.clock.advance(1);
    expect(await takeRuns(restarted)).toEqual(['default create expired']);
  });

  test('an acknowledgement without a deadline lasts over a restart until the event resolves', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await acknowledgeProblem(rig);
    await rig.stop();
    const restarted = await openRig(MAIL, { dir, clock: rig.clock });
    startTimer(restarted);
    restarted.clock.advance(24 * 3_600_000);
    await restarted.report(2);
    expect(await takeRuns(restarted)).toEqual([]);
  });

  test('removing an acknowledgement notifies nobody, but the next result does', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 2, { expire: 60 });
    await unacknowledge(rig);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['default create']);
  });

  test('the end of a silence notifies nobody while the event is acknowledged', async () => {
    const rig = await open();
    await silence(rig, { expire: 60 });
    await rig.report(2);
    await acknowledge(rig);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('an acknowledgement that expires during a silence is notified when the silence ends', async () => {
    const rig = await open();
    await acknowledgeProblem(rig, 2, { expire: 60 });
    await silence(rig, { expire: 120 });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual(['default create']);
  });

  test('a handler whose filter rejects the event is not notified when the acknowledgement expires', async () => {
    const rig = await open({ handlers: { default: PIPE, pager: { ...PIPE, severities: ['warning'] } } });
    await rig.report(2, { handlers: ['default', 'pager'] });
    await takeRuns(rig);
    await acknowledge(rig, { expire: 60 });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual(['default create expired']);
  });

  test('a check with handle: false notifies nobody when the acknowledgement expires', async () => {
    const rig = await open();
    await rig.report(2, { handle: false });
    await acknowledge(rig, { expire: 60 });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('only presets that show acknowledgements are notified of one, if they were notified of the problem', async () => {
    const chat = { type: 'webhook', preset: 'slack', url: 'https://hooks.example.com/x' } as const;
    const pager = { type: 'webhook', preset: 'pagerduty', routing_key: 'key' } as const;
    const rig = await open({
      handlers: {
        default: PIPE,
        chat,
        'chat-of-groups': { ...chat, group_by: ['check'] },
        pager: { ...pager, handle_silenced: true },
        'pager-of-warnings': { ...pager, severities: ['warning'] },
        phone: { type: 'webhook', preset: 'ntfy', topic: 'alerts' },
      },
    });
    const handlers = ['default', 'chat', 'chat-of-groups', 'pager', 'pager-of-warnings', 'phone'];
    await rig.report(2, { handlers });
    expect(await takeRuns(rig)).toEqual(['default create', 'chat create', 'pager create', 'phone create']);
    await acknowledge(rig);
    expect(await takeRuns(rig)).toEqual([
      'chat create started acknowledged by ada',
      'pager create started acknowledged by ada',
    ]);
    await acknowledge(rig, { owner: 'bob' });
    expect(await takeRuns(rig)).toEqual([
      'chat create started acknowledged by bob',
      'pager create started acknowledged by bob',
    ]);
    await unacknowledge(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('a chat that an escalation has notified is notified of the acknowledgement', async () => {
    const rig = await open({
      handlers: {
        default: { type: 'escalation', steps: [{ notify: ['chat'] }, { after: '10m', notify: ['pager'] }] },
        chat: { type: 'webhook', preset: 'slack', url: 'https://hooks.example.com/x' },
        pager: { type: 'webhook', preset: 'pagerduty', routing_key: 'key' },
      },
    });
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['chat create']);
    await acknowledge(rig);
    expect(await takeRuns(rig)).toEqual(['chat create started acknowledged by ada']);
  });

  test('no handler is notified of the acknowledgement of a problem that was silenced since it opened', async () => {
    const rig = await open({
      handlers: { default: { type: 'webhook', preset: 'slack', url: 'https://a.example.com' } },
    });
    await silence(rig, { expire: 60 });
    await rig.report(2);
    await acknowledge(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('a group notification omits acknowledged events until they resolve', async () => {
    const rig = await openGroupRig({ handlers: { default: groupingPipe({ group_by: ['check'] }) } });
    startTimer(rig);
    await rig.report(2);
    await rig.report(2, { source: 'web-2' });
    await acknowledge(rig);
    await pass(rig, 60);
    const events = (): string[][] =>
      rig.takeJobs().map(({ group }) => group?.events.map(({ client, change }) => `${client.name} ${change}`) ?? []);
    expect(events()).toEqual([['web-2 new']]);
    await rig.report(2);
    await rig.report(0, { source: 'web-2' });
    await pass(rig, 600);
    expect(events()).toEqual([['web-2 resolved']]);
  });
});
