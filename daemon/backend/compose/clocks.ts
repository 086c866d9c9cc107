import type { IdleRules } from '../../../shared/domain/silence-idle.ts';
import type { AgentHub } from '../agents/agent-hub.ts';
import { watchAggregates } from '../aggregates/timers.ts';
import { CheckRequests } from '../checks/runs.ts';
import { watchKeepalives } from '../clients/timers.ts';
import { expireDepartures } from '../clients/expire-departures.ts';
import type { Batcher } from '../commit/batcher.ts';
import { retireTtls } from '../results/retire-ttls.ts';
import { watchTtls } from '../results/timers.ts';
import { StaleResults } from '../results/write-stale.ts';
import { publishCheckRequests, type CheckSchedule } from '../schedule/publish-check-requests.ts';
import { watchIdle } from '../silences/idle.ts';
import { remindOfEnds } from '../silences/reminders.ts';
import { expireSilenced, learnInBackground } from '../silences/timers.ts';
import { notifyReminder } from '../notify/notifications.ts';
import { notifySilenceEnds } from '../notify/silence-ends/timers.ts';
import { SilenceEnds } from '../notify/silence-ends/commands.ts';
import { GroupClock } from '../notify/groups/timers.ts';
import { GroupFlushes } from '../notify/groups/flush.ts';
import { followRules } from '../notify/inhibitions/follow-rules.ts';
import { RuleChanges } from '../notify/inhibitions/rule-changes.ts';
import type { Lanes } from '../notify/delivery/lanes.ts';
import { expireStashes } from '../stashes/timers.ts';
import { Checkpoints } from '../timeline/checkpoints.ts';
import { TimelineTrim } from '../timeline/trim.ts';
import { plansOf } from '../model/plans/state.ts';
import type { ConditionBoard } from '../health/condition-board.ts';
import { watchConditions } from '../health/watch-conditions.ts';
import { watchDisk } from '../health/watch-disk.ts';
import type { Teardown } from './teardown.ts';
import type { Foundation } from './foundation.ts';
import type { Writers } from './writers.ts';

interface ClockParts {
  readonly batcher: Batcher;
  readonly writers: Writers;
  readonly lanes: Lanes;
  readonly schedule: Pick<CheckSchedule, 'nextRunMs'>;
  readonly board: ConditionBoard;
  /** The client of the disk check; undefined: the backend reports nothing about itself. */
  readonly ownName: string | undefined;
}

/** Starts the timed work of the leader: expiry, keepalives, stale results, the disk. */
export function startClocks(
  { config, definitions, registry, store, disk, clock, log }: Foundation,
  { batcher, writers, lanes, schedule, board, ownName }: ClockParts,
  teardown: Teardown,
): void {
  const { silenced, stashes, clients, results } = writers;
  const due = { registry, commits: batcher.commits, clock, log };
  teardown.use('attributes for selectors', learnInBackground({ ...due, store, silenced }));
  teardown.use('expiry of silences', expireSilenced({ ...due, silenced }));
  const before = (): number => config.program['silence-reminder'];
  const sendReminder: Parameters<typeof remindOfEnds>[0]['notify'] = (transaction, namespace, entry) => {
    const handler = config.program['silence-reminder-handler'];
    if (handler !== undefined) notifyReminder(transaction, namespace, entry, handler);
  };
  teardown.use('reminders of silences', remindOfEnds({ registry, batcher, clock, log, before, notify: sendReminder }));
  const rules = (): IdleRules => ({
    afterSeconds: config.program['silence-idle-after'],
    expireSeconds: config.program['silence-idle-expire'],
  });
  teardown.use('idle silences', watchIdle({ registry, batcher, clock, log, rules }));
  const silenceEnds = new SilenceEnds(batcher);
  teardown.use('ends of silences', notifySilenceEnds({ ...due, silenceEnds }));
  const changes = new RuleChanges(batcher);
  teardown.use('inhibitions', followRules({ registry, definitions, changes, clock, log }));
  const flushes = new GroupFlushes({ batcher, definitions, clock });
  teardown.use('groups', new GroupClock({ ...due, flushes, backlog: lanes, definitions }));
  teardown.use('expiry of stashes', expireStashes({ ...due, stashes }));
  teardown.use('blocks of deleted clients', expireDepartures({ ...due, clients }));
  teardown.use('keepalives', watchKeepalives({ registry, results, clients, definitions, store, disk, clock, log }));
  teardown.use('ttl of removed checks', retireTtls({ registry, batcher, definitions, clock, log }));
  teardown.use('stale results', watchTtls({ registry, stale: new StaleResults(batcher), disk, clock, log }));
  const checkpoints = teardown.use('checkpoints', new Checkpoints({ batcher, registry, store, clock, log }));
  teardown.use('timeline', new TimelineTrim({ batcher, registry, store, checkpoints, clock, log }));
  teardown.use(
    'aggregate rules',
    watchAggregates({
      rules: () => config.program['aggregate-rules'],
      registry,
      batcher,
      results,
      clock,
      log,
      isAwaitingBacklog: () => disk.isAwaitingBacklog || plansOf(registry).isAwaitingBacklog(clock.now()),
    }),
  );
  if (ownName !== undefined) {
    const { entityLimit } = writers;
    const measured = { registry, definitions, handlers: lanes, schedule, store, entityLimit };
    teardown.use('conditions', watchConditions({ ...measured, board, results, clock, log }));
    teardown.use('disk', watchDisk({ guard: disk, registry, results, client: ownName, clock, log }));
  }
}

/** Opens the schedule of checks; only the leader requests runs. */
export function openSchedule(
  { definitions, registry, store, clock, log }: Foundation,
  { batcher, agents }: { readonly batcher: Pick<Batcher, 'isLeading'>; readonly agents: AgentHub },
  teardown: Teardown,
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
