import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Acknowledgements } from '../../../../../daemon/backend/acknowledgements/commands.ts';
import { expireAcknowledgements } from '../../../../../daemon/backend/acknowledgements/timers.ts';
import { BACKEND_ACTOR } from '../../../../../daemon/backend/model/audit/mutations.ts';
import { EscalationUpdates } from '../../../../../daemon/backend/notify/escalations/commands.ts';
import { watchEscalations } from '../../../../../daemon/backend/notify/escalations/timers.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';
import type { HandlingOptions, HandlingRig, HandlingSections } from '../../../../support/handling-rig.ts';
import { propertyRuns } from '../../../../support/property-runs.ts';
import { openRig, PIPE, settle, silence, type SilenceRig } from '../../../../support/silence-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const MINUTE = 60_000;

const PAGE = {
  type: 'escalation',
  steps: [{ notify: ['chat'] }, { after: '10m', notify: ['ada'] }, { after: '30m', notify: ['boss'], repeat: '15m' }],
};
const HANDLERS = { chat: PIPE, ada: PIPE, boss: PIPE, page: PAGE };
const PAGED = { handlers: ['page'] };

/** Opens a backend with the timers of escalations and acknowledgements. */
async function open(sections: HandlingSections = { handlers: HANDLERS }, options: HandlingOptions = {}) {
  const rig = await openRig(sections, options);
  const { registry, batcher, clock, log, definitions } = rig;
  const parts = { registry, commits: batcher.commits, clock, log };
  const acknowledgements = new Acknowledgements(batcher);
  const timers = [
    watchEscalations({ ...parts, definitions, updates: new EscalationUpdates(batcher) }),
    expireAcknowledgements({ ...parts, acknowledgements }),
  ];
  const stop = async (): Promise<void> => {
    for (const timer of timers) timer[Symbol.dispose]();
    await rig.stop();
  };
  onTestFinished(stop);
  return { rig, stop, acknowledgements };
}

/** Returns the handler, the action and the step of all new notifications. */
async function takeSteps(rig: HandlingRig): Promise<string[]> {
  for (let round = 0; round < 5; round++) {
    await settle(rig);
    rig.clock.advance(0);
  }
  return rig
    .takeJobs()
    .map(({ handler, event: { action, escalation, acknowledgement_expired: isExpired } }) =>
      [
        handler,
        action,
        ...(escalation === undefined ? [] : [`${String(escalation.step)}/${String(escalation.of)}`]),
        ...(escalation?.repeat === undefined ? [] : [`again ${String(escalation.repeat)}`]),
        ...(isExpired === true ? ['expired'] : []),
      ].join(' '),
    );
}

/** Lets time pass, and returns the notifications of that time. */
async function pass(rig: HandlingRig, ms: number): Promise<string[]> {
  await settle(rig);
  rig.clock.advance(ms);
  return takeSteps(rig);
}

/** Opens a problem that the first step notifies. */
async function openProblem(rig: HandlingRig, status = 2): Promise<void> {
  await rig.report(status, PAGED);
  expect(await takeSteps(rig)).toEqual(['chat create 1/3']);
}

describe('the steps of an escalation (on-call 2)', () => {
  test('each step is notified at its time, and the last one is repeated', async () => {
    const { rig } = await open();
    await openProblem(rig);
    expect(await pass(rig, 10 * MINUTE - 1)).toEqual([]);
    expect(await pass(rig, 1)).toEqual(['ada create 2/3']);
    expect(await pass(rig, 19 * MINUTE)).toEqual([]);
    expect(await pass(rig, MINUTE)).toEqual(['boss create 3/3']);
    expect(await pass(rig, 15 * MINUTE)).toEqual(['boss create 3/3 again 1']);
    expect(await pass(rig, 15 * MINUTE)).toEqual(['boss create 3/3 again 2']);
  });

  test('the last step is repeated 20 times and not more often', async () => {
    const { rig } = await open({
      handlers: { ...HANDLERS, page: { ...PAGE, steps: [{ notify: ['ada'], repeat: '1m' }] } },
    });
    await rig.report(2, PAGED);
    expect(await takeSteps(rig)).toEqual(['ada create 1/1']);
    for (let repeat = 1; repeat <= 20; repeat++) {
      expect(await pass(rig, MINUTE)).toEqual([`ada create 1/1 again ${String(repeat)}`]);
    }
    expect(await pass(rig, 60 * MINUTE)).toEqual([]);
  });

  test('further results with the same status notify nobody', async () => {
    const { rig } = await open();
    await openProblem(rig);
    await rig.report(2, PAGED);
    await rig.report(1, PAGED);
    expect(await takeSteps(rig)).toEqual([]);
    expect(await pass(rig, 10 * MINUTE)).toEqual(['ada create 2/3']);
  });

  test('a worse status notifies the handlers that were notified already, and the steps keep their times', async () => {
    const { rig } = await open();
    await openProblem(rig, 1);
    expect(await pass(rig, 10 * MINUTE)).toEqual(['ada create 2/3']);
    expect(await pass(rig, 5 * MINUTE)).toEqual([]);
    await rig.report(2, PAGED);
    expect(await takeSteps(rig)).toEqual(['chat create 2/3', 'ada create 2/3']);
    expect(await pass(rig, 15 * MINUTE)).toEqual(['boss create 3/3']);
  });

  test('the resolution goes to exactly the handlers that were notified', async () => {
    const { rig } = await open();
    await openProblem(rig);
    await pass(rig, 10 * MINUTE);
    await rig.report(0, PAGED);
    expect(await takeSteps(rig)).toEqual(['chat resolve', 'ada resolve']);
    expect(await pass(rig, 60 * MINUTE)).toEqual([]);
  });

  test('the resolution goes to the notified handlers if the resolving result names no handlers', async () => {
    const { rig } = await open();
    await openProblem(rig);
    await rig.report(0, { handlers: [] });
    expect(await takeSteps(rig)).toEqual(['chat resolve']);
  });

  test('a handler that the check names too gets each notification once', async () => {
    const { rig } = await open();
    await rig.report(2, { handlers: ['page', 'chat'] });
    expect(await takeSteps(rig)).toEqual(['chat create']);
    await rig.report(0, { handlers: ['page', 'chat'] });
    expect(await takeSteps(rig)).toEqual(['chat resolve']);
  });

  test('the first step can wait, and a problem that resolves before it notifies nobody', async () => {
    const steps = [{ after: '5m', notify: ['ada'] }];
    const { rig } = await open({ handlers: { ...HANDLERS, page: { ...PAGE, steps } } });
    await rig.report(2, PAGED);
    expect(await pass(rig, 4 * MINUTE)).toEqual([]);
    await rig.report(0, PAGED);
    expect(await pass(rig, MINUTE)).toEqual([]);
    await rig.report(2, PAGED);
    expect(await pass(rig, 5 * MINUTE)).toEqual(['ada create 1/1']);
  });

  test('the filters and severities of the escalation decide whether it starts', async () => {
    const page = { ...PAGE, severities: ['critical'], filters: ['occurrences'] };
    const { rig } = await open({ handlers: { ...HANDLERS, page } });
    await rig.report(1, { ...PAGED, occurrences: 2 });
    await rig.report(2, { ...PAGED, occurrences: 2 });
    expect(await takeSteps(rig)).toEqual([]);
    await rig.report(2, { ...PAGED, occurrences: 2 });
    expect(await takeSteps(rig)).toEqual(['chat create 1/3']);
    expect(await pass(rig, 10 * MINUTE)).toEqual(['ada create 2/3']);
  });

  test('the filter occurrences of a handler in a step passes the event, and its severities apply', async () => {
    const chat = { ...PIPE, filters: ['occurrences'] };
    const ada = { ...PIPE, severities: ['warning'] };
    const { rig } = await open({ handlers: { ...HANDLERS, chat, ada } });
    await rig.report(1, { handlers: [] });
    await rig.report(1, { handlers: [] });
    await openProblem(rig);
    expect(await pass(rig, 10 * MINUTE)).toEqual([]);
    await rig.report(0, PAGED);
    expect(await takeSteps(rig)).toEqual(['chat resolve']);
  });

  test('a step expands handler sets, and refuses other escalations and undefined handlers', async () => {
    const steps = [{ notify: ['team', 'other', 'on-call/database'] }];
    const team = { type: 'set', handlers: ['ada', 'boss'] };
    const { rig } = await open({ handlers: { ...HANDLERS, team, page: { ...PAGE, steps }, other: PAGE } });
    await rig.report(2, PAGED);
    expect(await takeSteps(rig)).toEqual(['ada create 1/1', 'boss create 1/1']);
    expect(rig.log.messages('error')).toEqual(['escalations cannot be nested', 'unknown handler']);
  });

  test('a step notifies whoever is on call when it is due, and the resolution goes to the same handler', async () => {
    const people = { ada: { notify: ['ada'] }, bob: { notify: ['boss'] } };
    const layers = [{ people: ['ada', 'bob'], handover: '00:00', every: '1 hour' }];
    const steps = [{ notify: ['on-call/team'] }, { after: '1h', notify: ['on-call/team'] }];
    const handlers = { ...HANDLERS, page: { ...PAGE, steps } };
    const { rig } = await open({ handlers, people, schedules: { team: { layers } } });
    await rig.report(2, PAGED);
    const [first = ''] = await takeSteps(rig);
    const [second = ''] = await pass(rig, 60 * MINUTE);
    expect([first, second].toSorted()).toEqual(['ada create 1/2', 'boss create 2/2'].toSorted());
    await rig.report(0, PAGED);
    expect((await takeSteps(rig)).toSorted()).toEqual(['ada resolve', 'boss resolve']);
  });

  test('an escalation whose definition is removed ends, and the notified handlers get the resolution', async () => {
    const { rig } = await open();
    await openProblem(rig);
    rig.reload({ handlers: { chat: PIPE, ada: PIPE } });
    expect(await pass(rig, 60 * MINUTE)).toEqual([]);
    await rig.report(0, PAGED);
    expect(await takeSteps(rig)).toEqual(['chat resolve']);
  });
});

describe('the pauses of an escalation (on-call 2)', () => {
  test('an acknowledgement pauses the escalation, and its expiry continues it where it was', async () => {
    const { rig, acknowledgements } = await open();
    await openProblem(rig);
    await pass(rig, 4 * MINUTE);
    const event = { client: 'web-1', check: 'disk', owner: 'ada', expire: 3600 };
    await acknowledgements.acknowledge(DEFAULT_NAMESPACE, event, BACKEND_ACTOR);
    expect(await pass(rig, 60 * MINUTE - 1000)).toEqual([]);
    expect(await pass(rig, 1000)).toEqual(['chat create 1/3 expired']);
    expect(await pass(rig, 6 * MINUTE - 1000)).toEqual([]);
    expect(await pass(rig, 1000)).toEqual(['ada create 2/3']);
  });

  test('removing an acknowledgement continues the escalation and notifies nobody at once', async () => {
    const { rig, acknowledgements } = await open();
    await openProblem(rig);
    await pass(rig, 4 * MINUTE);
    const event = { client: 'web-1', check: 'disk', owner: 'ada' };
    await acknowledgements.acknowledge(DEFAULT_NAMESPACE, event, BACKEND_ACTOR);
    await pass(rig, 60 * MINUTE);
    await acknowledgements.unacknowledge(DEFAULT_NAMESPACE, event, BACKEND_ACTOR);
    expect(await takeSteps(rig)).toEqual([]);
    expect(await pass(rig, 6 * MINUTE)).toEqual(['ada create 2/3']);
  });

  test('a silence pauses the escalation until it ends', async () => {
    const { rig } = await open();
    await openProblem(rig);
    await pass(rig, 9 * MINUTE);
    await silence(rig, { expire: 3600 });
    await rig.report(2, PAGED);
    expect(await pass(rig, 59 * MINUTE)).toEqual([]);
    expect(await pass(rig, MINUTE)).toEqual([]);
    expect(await pass(rig, MINUTE)).toEqual(['ada create 2/3']);
  });

  test('a problem that opens silenced starts its escalation when the silence ends', async () => {
    const { rig } = await open();
    await silence(rig, { expire: 3600 });
    await rig.report(2, PAGED);
    expect(await pass(rig, 59 * MINUTE)).toEqual([]);
    expect(await pass(rig, MINUTE)).toEqual(['chat create 1/3']);
    expect(await pass(rig, 10 * MINUTE)).toEqual(['ada create 2/3']);
  });

  test('the resolution of a silenced problem reaches the notified handlers when the silence ends', async () => {
    const { rig } = await open();
    await openProblem(rig);
    await silence(rig, { expire: 3600 });
    await rig.report(0, PAGED);
    expect(await takeSteps(rig)).toEqual([]);
    expect(await pass(rig, 60 * MINUTE)).toEqual(['chat resolve']);
  });

  test('an inhibition pauses the escalation until the inhibiting event resolves', async () => {
    const inhibitions = { router: { source: 'check=router', target: 'check=disk' } };
    const { rig } = await open({ handlers: HANDLERS, inhibitions });
    await openProblem(rig);
    await pass(rig, 9 * MINUTE);
    await rig.report(2, { name: 'router', source: 'router-1', handlers: [] });
    await rig.report(2, PAGED);
    expect(await pass(rig, 60 * MINUTE)).toEqual([]);
    await rig.report(0, { name: 'router', source: 'router-1', handlers: [] });
    expect(await takeSteps(rig)).toEqual([]);
    expect(await pass(rig, MINUTE)).toEqual(['ada create 2/3']);
  });

  test('an inhibition without a further result of the event pauses a step that is due', async () => {
    const inhibitions = { router: { source: 'check=router', target: 'check=disk' } };
    const { rig } = await open({ handlers: HANDLERS, inhibitions });
    await openProblem(rig);
    await rig.report(2, { name: 'router', source: 'router-1', handlers: [] });
    expect(await pass(rig, 60 * MINUTE)).toEqual([]);
    await rig.report(0, { name: 'router', source: 'router-1', handlers: [] });
    expect(await pass(rig, 1000)).toEqual(['ada create 2/3']);
  });

  test('a severity that the escalation does not accept pauses it', async () => {
    const { rig } = await open({ handlers: { ...HANDLERS, page: { ...PAGE, severities: ['critical'] } } });
    await openProblem(rig);
    await rig.report(1, PAGED);
    expect(await pass(rig, 60 * MINUTE)).toEqual([]);
    await rig.report(2, PAGED);
    expect(await pass(rig, 10 * MINUTE)).toEqual(['ada create 2/3']);
  });
});

/** Stops a backend, and opens its store again after a time. */
async function restart(dir: string, rig: SilenceRig, stop: () => Promise<void>, downMs: number): Promise<SilenceRig> {
  await stop();
  rig.clock.advance(downMs);
  const { rig: restarted } = await open({ handlers: HANDLERS }, { dir, clock: rig.clock });
  return restarted;
}

describe('the state of an escalation across a restart (on-call 2)', () => {
  test('a restart keeps the times of the steps and the handlers that get the resolution', async () => {
    const dir = await tempDir();
    const { rig, stop } = await open({ handlers: HANDLERS }, { dir });
    await openProblem(rig);
    const restarted = await restart(dir, rig, stop, 4 * MINUTE);
    expect(await pass(restarted, 6 * MINUTE - 1000)).toEqual([]);
    expect(await pass(restarted, 1000)).toEqual(['ada create 2/3']);
    await restarted.report(0, PAGED);
    expect(await takeSteps(restarted)).toEqual(['chat resolve', 'ada resolve']);
  });

  test('a step that was due while the backend was down is notified at the start, and the next one keeps its distance', async () => {
    const dir = await tempDir();
    const { rig, stop } = await open({ handlers: HANDLERS }, { dir });
    await openProblem(rig);
    const restarted = await restart(dir, rig, stop, 5 * 60 * MINUTE);
    restarted.clock.advance(1);
    expect(await takeSteps(restarted)).toEqual(['ada create 2/3']);
    expect(await pass(restarted, 20 * MINUTE - 1000)).toEqual([]);
    expect(await pass(restarted, 1000)).toEqual(['boss create 3/3']);
  });

  test('a step whose commit fails is notified once after the store works again', async () => {
    const { rig } = await open();
    await openProblem(rig);
    rig.store.refuses = () => true;
    expect(await pass(rig, 10 * MINUTE)).toEqual([]);
    rig.store.refuses = () => false;
    expect(await pass(rig, MINUTE)).toEqual(['ada create 2/3']);
  });
});

/** A step of a random story: a result, an acknowledgement, a silence, or minutes that pass. */
type StoryStep =
  | { readonly kind: 'report'; readonly status: number }
  | { readonly kind: 'acknowledge' | 'silence'; readonly minutes: number }
  | { readonly kind: 'pass'; readonly minutes: number };

const storyStep: fc.Arbitrary<StoryStep> = fc.oneof(
  fc.record({ kind: fc.constant('report' as const), status: fc.constantFrom(0, 1, 2, 2) }),
  fc.record({
    kind: fc.constantFrom('acknowledge' as const, 'silence' as const),
    minutes: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 25 }) }),
);

/** Plays a story, and returns the notifications of each step. With `restarts`, the backend restarts after each step. */
async function play(story: readonly StoryStep[], restarts: boolean): Promise<string[][]> {
  const dir = await tempDir();
  let backend = await open({ handlers: HANDLERS }, { dir });
  await openProblem(backend.rig);
  const notified: string[][] = [];
  for (const step of story) {
    const { rig, acknowledgements, stop } = backend;
    if (step.kind === 'report') await rig.report(step.status, PAGED);
    else if (step.kind === 'silence') await silence(rig, { expire: step.minutes * 60 });
    else if (step.kind === 'acknowledge' && rig.entry()?.state.event !== undefined) {
      const event = { client: 'web-1', check: 'disk', owner: 'ada', expire: step.minutes * 60 };
      await acknowledgements.acknowledge(DEFAULT_NAMESPACE, event, BACKEND_ACTOR);
    }
    const atOnce = await takeSteps(rig);
    const later = step.kind === 'pass' ? await pass(rig, step.minutes * MINUTE) : [];
    notified.push([...atOnce, ...later]);
    if (!restarts) continue;
    await stop();
    backend = await open({ handlers: HANDLERS }, { dir, clock: rig.clock });
  }
  await backend.stop();
  return notified;
}

test('a backend that restarts after each step of a story notifies the same steps as one that never restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(storyStep, { minLength: 1, maxLength: 6 }), async (story) => {
      expect(await play(story, true)).toEqual(await play(story, false));
    }),
    { numRuns: propertyRuns(1) },
  );
});
