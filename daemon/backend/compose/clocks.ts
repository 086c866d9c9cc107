import type { IdleRules } from '../../../shared/domain/silence-idle.ts';
import { expireAcknowledgements } from '../acknowledgements/timers.ts';
import type { AgentHub } from '../agents/agent-hub.ts';
import { watchAggregates } from '../aggregates/timers.ts';
import { CheckRequests } from '../checks/runs.ts';
import { watchKeepalives } from '../clients/timers.ts';
import { expireBans } from '../clients/expire-departures.ts';
import type { Batcher } from '../commit/batcher.ts';
import { retireTtls } from '../results/retire-ttls.ts';
import { watchTtls } from '../results/timers.ts';
import { evaluateWatchdogs } from '../results/watchdogs.ts';
import { StaleResults } from '../results/write-stale.ts';
import { publishCheckRequests, type CheckSchedule } from '../schedule/publish-check-requests.ts';
import { watchIdle } from '../silences/idle.ts';
import { remindOfEnds } from '../silences/reminders.ts';
import { expireSilenced, loadAttributesInBackground } from '../silences/timers.ts';
import { notifyReminder } from '../notify/notifications.ts';
import { watchSilenceEnds } from '../notify/silence-ends/timers.ts';
import { SilenceEndNotifier } from '../notify/silence-ends/commands.ts';
import { GroupFlushTimer } from '../notify/groups/timers.ts';
import { GroupFlusher } from '../notify/groups/flush.ts';
import { EscalationUpdates } from '../notify/escalations/commands.ts';
import { watchEscalations } from '../notify/escalations/timers.ts';
import { watchInhibitionRules } from '../notify/inhibitions/watch-rules.ts';
import { InhibitionUpdates } from '../notify/inhibitions/rule-changes.ts';
import type { HandlerQueues } from '../notify/delivery/handler-queues.ts';
import { expireStashes } from '../stashes/timers.ts';
import { CheckpointWriter } from '../timeline/checkpoints.ts';
import { TimelineTrim } from '../timeline/trim.ts';
import { plansOf } from '../model/plans/state.ts';
import type { ConditionBoard } from '../health/condition-board.ts';
import { watchConditions } from '../health/watch-conditions.ts';
import { watchDisk } from '../health/watch-disk.ts';
import type { Lifecycle, Teardown } from './teardown.ts';
import type { Foundation } from './foundation.ts';
import type { PartName } from './start-order.ts';
import type { Writers } from './writers.ts';

interface ClockDependencies {
  readonly batcher: Batcher;
  readonly writers: Writers;
  readonly lanes: HandlerQueues;
  readonly schedule: Pick<CheckSchedule, 'nextRunMs'>;
  readonly board: ConditionBoard;
  /** Name of the client for checks of the backend itself, such as `disk`; undefined if it reports no such results. */
  readonly ownName: string | undefined;
}

/** Returns the periodic tasks of the leader, such as expiry and keepalive checks, in the order in which they start. */
export function leaderTasks(foundation: Foundation, parts: ClockDependencies): readonly Lifecycle[] {
  const { definitions, registry, store, disk, clock, log } = foundation;
  const { batcher, writers, lanes, ownName } = parts;
  const { acknowledgements, silenced, stashes, clients, results } = writers;
  const { before, notify, rules } = silenceSettings(foundation);
  const timed = { registry, clock, log };
  const due = { ...timed, commits: batcher.commits };
  const writing = { ...timed, batcher };
  const silenceEnds = new SilenceEndNotifier(batcher);
  const escalations = new EscalationUpdates(batcher);
  const changes = new InhibitionUpdates(batcher);
  const flushes = new GroupFlusher({ batcher, definitions, clock });
  const stale = new StaleResults(batcher);
  // The object `CheckpointWriter` is created when its task starts, because its timer runs from creation. The timeline
  // uses the same object.
  let created: CheckpointWriter | undefined;
  const checkpoints = (): CheckpointWriter => (created ??= new CheckpointWriter({ ...writing, store }));
  return [
    { name: 'attributes for selectors', start: () => loadAttributesInBackground({ ...due, store, silenced }) },
    { name: 'expiry of silences', start: () => expireSilenced({ ...due, silenced }) },
    { name: 'reminders of silences', start: () => remindOfEnds({ ...writing, before, notify }) },
    { name: 'idle silences', start: () => watchIdle({ ...writing, rules }) },
    { name: 'ends of silences', start: () => watchSilenceEnds({ ...due, notifier: silenceEnds }) },
    { name: 'expiry of acknowledgements', start: () => expireAcknowledgements({ ...due, acknowledgements }) },
    { name: 'escalations', start: () => watchEscalations({ ...due, definitions, updates: escalations }) },
    { name: 'inhibitions', start: () => watchInhibitionRules({ ...timed, definitions, updates: changes }) },
    { name: 'groups', start: () => new GroupFlushTimer({ ...due, flusher: flushes, queues: lanes, definitions }) },
    { name: 'expiry of stashes', start: () => expireStashes({ ...due, stashes }) },
    { name: 'blocks of deleted clients', start: () => expireBans({ ...due, clients }) },
    { name: 'keepalives', start: () => watchKeepalives({ ...timed, results, clients, definitions, store, disk }) },
    { name: 'ttl of removed checks', start: () => retireTtls({ ...writing, definitions }) },
    { name: 'stale results', start: () => watchTtls({ ...timed, stale, disk }) },
    { name: 'checkpoints', start: checkpoints },
    { name: 'timeline', start: () => new TimelineTrim({ ...writing, store, checkpoints: checkpoints() }) },
    { name: 'aggregate rules', start: () => watchAggregateRules(foundation, parts) },
    { name: 'watchdogs', start: () => startWatchdogs(foundation, parts) },
    ...(ownName === undefined ? [] : clocksOfSelf(foundation, { ...parts, ownName })),
  ];
}

/** Returns callbacks that read the settings of silences, because a reload can change them. */
function silenceSettings({ config }: Foundation): {
  readonly before: () => number;
  readonly notify: Parameters<typeof remindOfEnds>[0]['notify'];
  readonly rules: () => IdleRules;
} {
  return {
    before: () => config.program['silence-reminder'],
    notify: (transaction, namespace, entry) => {
      const handler = config.program['silence-reminder-handler'];
      if (handler !== undefined) notifyReminder(transaction, namespace, entry, handler);
    },
    rules: () => ({
      afterSeconds: config.program['silence-idle-after'],
      expireSeconds: config.program['silence-idle-expire'],
    }),
  };
}

function watchAggregateRules(
  { config, registry, disk, clock, log }: Foundation,
  { batcher, writers: { results } }: ClockDependencies,
): Disposable {
  return watchAggregates({
    rules: () => config.program['aggregate-rules'],
    registry,
    batcher,
    results,
    clock,
    log,
    isAwaitingBacklog: () => disk.isAwaitingBacklog || plansOf(registry).isAwaitingBacklog(clock.now()),
  });
}

function startWatchdogs(
  { config, registry, disk, clock, log }: Foundation,
  { batcher, writers: { results } }: ClockDependencies,
): Disposable {
  return evaluateWatchdogs({
    watchdogs: () => config.program.watchdogs,
    registry,
    batcher,
    results,
    clock,
    log,
    isAwaitingBacklog: () => disk.isAwaitingBacklog || plansOf(registry).isAwaitingBacklog(clock.now()),
  });
}

/** Returns the periodic tasks that report problems of the backend itself as check results. */
function clocksOfSelf(
  { definitions, registry, store, disk, clock, log }: Foundation,
  { writers, lanes, schedule, board, ownName }: ClockDependencies & { readonly ownName: string },
): readonly Lifecycle[] {
  const { entityLimit, results } = writers;
  const reporting = { registry, results, clock, log };
  const measured = { definitions, handlers: lanes, schedule, store, entityLimit };
  return [
    { name: 'conditions', start: () => watchConditions({ ...measured, ...reporting, board }) },
    { name: 'disk', start: () => watchDisk({ ...reporting, guard: disk, client: ownName }) },
  ];
}

/** Starts the schedule of checks. Each member runs the schedule, but only the leader sends check requests to agents. */
export function openSchedule(
  { definitions, registry, store, clock, log }: Foundation,
  { batcher, agents }: { readonly batcher: Pick<Batcher, 'isLeading'>; readonly agents: AgentHub },
  teardown: Teardown<PartName>,
): { readonly requests: CheckRequests; readonly schedule: CheckSchedule } {
  const requests = teardown.use(
    'check requests',
    new CheckRequests({
      definitions,
      registry,
      store,
      clock,
      log,
      publish: (namespace, to, check) => agents.publish(namespace, to, check),
    }),
  );
  const schedule = teardown.use(
    'schedule',
    publishCheckRequests({
      definitions,
      clock,
      log,
      namespaces: () => registry.declared.names(),
      publish: async (namespace, check, periodMs) => {
        if (batcher.isLeading) await requests.publish(namespace, check, { periodMs });
      },
    }),
  );
  return { requests, schedule };
}
