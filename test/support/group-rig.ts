import { onTestFinished } from 'vitest';
import { GroupFlushTimer } from '../../daemon/backend/notify/groups/timers.ts';
import { groupsOf } from '../../daemon/backend/model/notify/groups/state.ts';
import { GroupFlusher } from '../../daemon/backend/notify/groups/flush.ts';
import { watchSilenceEnds } from '../../daemon/backend/notify/silence-ends/timers.ts';
import { SilenceEndNotifier } from '../../daemon/backend/notify/silence-ends/commands.ts';
import { watchInhibitionRules } from '../../daemon/backend/notify/inhibitions/watch-rules.ts';
import { InhibitionUpdates } from '../../daemon/backend/notify/inhibitions/rule-changes.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { HandlingRig, type HandlingOptions, type HandlingSections } from './handling-rig.ts';

/** The commit pipeline with group flushes. It can be stopped and opened again in the same directory. */
export interface GroupRig extends HandlingRig {
  readonly stop: () => Promise<void>;
}

/**
 * Returns a pipe handler that groups by `client.rack`, with overrides. By default it waits 30 s, has an interval of 5
 * min, and repeats after 4 h.
 */
export function groupingPipe(attributes: object = {}): object {
  return { type: 'pipe', command: 'true', group_by: ['client.rack'], ...attributes };
}

export async function openGroupRig(sections: HandlingSections, options: HandlingOptions = {}): Promise<GroupRig> {
  const rig = await HandlingRig.open(sections, options);
  const { registry, clock, log, batcher, definitions } = rig;
  const parts = { registry, commits: batcher.commits, clock, log };
  const unsilenced = watchSilenceEnds({ ...parts, notifier: new SilenceEndNotifier(batcher) });
  const flushes = new GroupFlusher({ batcher, definitions, clock });
  const backlog = { isFull: (_namespace: string, handler: string) => options.full?.has(handler) === true };
  const groups = new GroupFlushTimer({ ...parts, flusher: flushes, queues: backlog, definitions });
  const rules = watchInhibitionRules({ registry, definitions, updates: new InhibitionUpdates(batcher), clock, log });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    rules[Symbol.dispose]();
    groups[Symbol.dispose]();
    unsilenced[Symbol.dispose]();
    await rig[Symbol.asyncDispose]();
  };
  onTestFinished(stop);
  return Object.assign(rig, { stop });
}

/** Waits until the changes that the last step has caused are committed. */
export async function settled({ batcher }: HandlingRig): Promise<void> {
  for (let round = 0; round < 4; round++) await batcher.run(() => undefined);
}

/** Advances the clock, and waits until the resulting changes are committed. */
export async function pass(rig: HandlingRig, seconds: number): Promise<void> {
  await settled(rig);
  rig.clock.advance(seconds * 1000);
  await settled(rig);
}

/**
 * Returns the notifications that were requested since the last call: for a group its events and their changes
 * (`a-1/disk new, a-2/disk same`), for a single event its action.
 */
export async function takeNotifications(rig: HandlingRig): Promise<string[]> {
  await settled(rig);
  return rig.takeJobs().map(({ client, check, event, group }) => {
    if (group === undefined) return `${client}/${check} ${event.action}`;
    const events = group.events.map((own) => `${own.client.name}/${own.check.name} ${own.change}`);
    return [...events, ...(group.omitted > 0 ? [`${String(group.omitted)} omitted`] : [])].join(', ');
  });
}

export function groupCount(rig: HandlingRig): number {
  return groupsOf(rig.registry.namespace(DEFAULT_NAMESPACE)).size;
}
