import { BUILT_IN_NAMES } from '../../../../shared/domain/built-in.ts';
import type { HandlerStatus } from '../../../../shared/schemas/dead-letter.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { groupsOf } from '../../model/notify/groups/state.ts';
import type { Registry } from '../../model/registry/registry.ts';
import type { DeadLetters } from './dead-letters.ts';
import { qualifiedHandlerName } from './qualified-handler-name.ts';
import type { HandlerStatistics, HandlerQueues } from './handler-queues.ts';

interface HandlerStatusDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly handlerQueues: Pick<HandlerQueues, 'statistics'>;
  readonly deadLetters: Pick<DeadLetters, 'all'>;
  readonly registry: Pick<Registry, 'findNamespace'>;
}

/**
 * Returns the status of the handlers in these namespaces, sorted by name. The list contains every defined handler
 * except handler sets and escalations. It also contains all other handlers that have dead letters, or that had runs or
 * rejected notifications since the backend started. Examples are built-in handlers and removed handlers.
 *
 * @param namespaces the namespaces that the caller may read
 */
export function listHandlerStatuses(
  { definitions, handlerQueues, deadLetters, registry }: HandlerStatusDependencies,
  namespaces: readonly string[],
  nowMs: number,
): HandlerStatus[] {
  const typesByHandler = new Map<string, string | null>();
  const deadLetterCounts = new Map<string, number>();
  const allDeadLetters = deadLetters.all();
  const statisticsByHandler = handlerQueues.statistics();
  const groupCounts = new Map<string, number>();
  for (const handlerId of [...statisticsByHandler.values(), ...allDeadLetters]) {
    if (namespaces.includes(handlerId.namespace))
      typesByHandler.set(qualifiedHandlerName(handlerId), handlerType(definitions, handlerId));
  }
  for (const deadLetter of allDeadLetters)
    deadLetterCounts.set(
      qualifiedHandlerName(deadLetter),
      (deadLetterCounts.get(qualifiedHandlerName(deadLetter)) ?? 0) + 1,
    );
  for (const namespace of namespaces) {
    for (const [handler, { type }] of definitions.inNamespace(namespace).handlers()) {
      if (type !== 'set' && type !== 'escalation')
        typesByHandler.set(qualifiedHandlerName({ namespace, handler }), type);
    }
    const namespaceState = registry.findNamespace(namespace);
    for (const { handler } of namespaceState === undefined ? [] : groupsOf(namespaceState).all()) {
      const name = qualifiedHandlerName({ namespace, handler });
      groupCounts.set(name, (groupCounts.get(name) ?? 0) + 1);
    }
  }
  return [...typesByHandler]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, type]) =>
      buildHandlerStatus(name, type, statisticsByHandler.get(name), {
        deadLetters: deadLetterCounts.get(name) ?? 0,
        groups: groupCounts.get(name) ?? 0,
        nowMs,
      }),
    );
}

/**
 * Returns the type of a handler: `built-in` for the name of a built-in handler, otherwise the type in its definition.
 * Returns null if the handler is not defined. The workflow of a pipeline counts as a handler definition.
 */
function handlerType(
  definitions: Pick<Definitions, 'inNamespace'>,
  { namespace, handler }: { readonly namespace: string; readonly handler: string },
): string | null {
  if (BUILT_IN_NAMES.handlers.has(handler)) return 'built-in';
  return definitions.inNamespace(namespace).handler(handler)?.type ?? null;
}

function buildHandlerStatus(
  name: string,
  type: string | null,
  statistics: HandlerStatistics | undefined,
  { deadLetters, groups, nowMs }: { readonly deadLetters: number; readonly groups: number; readonly nowMs: number },
): HandlerStatus {
  const { lastFailure, oldestQueuedAtMs } = statistics ?? {};
  return {
    name,
    type,
    queued: statistics?.waiting ?? 0,
    running: statistics?.running ?? 0,
    retrying: statistics?.retrying ?? 0,
    delivered: statistics?.delivered ?? 0,
    failed: statistics?.failed ?? 0,
    ...(groups > 0 && { groups }),
    dead_letters: deadLetters,
    last_error:
      lastFailure === undefined ? null : { at: Math.floor(lastFailure.atMs / 1000), reason: lastFailure.reason },
    oldest_age: oldestQueuedAtMs === undefined ? null : (nowMs - oldestQueuedAtMs) / 1000,
  };
}
