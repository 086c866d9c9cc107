import { BUILT_IN } from '../../../../shared/domain/built-in.ts';
import type { HandlerStatus } from '../../../../shared/schemas/dead-letter.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { groupsOf } from '../../model/notify/groups/state.ts';
import type { Registry } from '../../model/registry/registry.ts';
import type { DeadLetters } from './dead-letters.ts';
import { laneName } from './lane-name.ts';
import type { HandlerFigures, Lanes } from './lanes.ts';

interface HandlerParts {
  readonly definitions: Pick<Definitions, 'in'>;
  readonly handlers: Pick<Lanes, 'figures'>;
  readonly deadLetters: Pick<DeadLetters, 'all'>;
  readonly registry: Pick<Registry, 'findNamespace'>;
}

/**
 * Returns the status of each handler in the namespaces, sorted by name. These are all defined handlers except sets,
 * which have no runs, and all handlers that had runs since the backend started or have dead letters.
 *
 * @param namespaces the namespaces that the caller may read
 */
export function handlerStatuses(
  { definitions, handlers, deadLetters, registry }: HandlerParts,
  namespaces: readonly string[],
  nowMs: number,
): HandlerStatus[] {
  const types = new Map<string, string | null>();
  const dead = new Map<string, number>();
  const failedRuns = deadLetters.all();
  const figures = handlers.figures();
  const groups = new Map<string, number>();
  for (const id of [...figures.values(), ...failedRuns]) {
    if (namespaces.includes(id.namespace)) types.set(laneName(id), typeOf(definitions, id));
  }
  for (const run of failedRuns) dead.set(laneName(run), (dead.get(laneName(run)) ?? 0) + 1);
  for (const namespace of namespaces) {
    for (const [handler, { type }] of definitions.in(namespace).handlers()) {
      if (type !== 'set') types.set(laneName({ namespace, handler }), type);
    }
    const namespaceState = registry.findNamespace(namespace);
    for (const { handler } of namespaceState === undefined ? [] : groupsOf(namespaceState).all()) {
      const name = laneName({ namespace, handler });
      groups.set(name, (groups.get(name) ?? 0) + 1);
    }
  }
  return [...types]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, type]) =>
      statusOf(name, type, figures.get(name), {
        deadLetters: dead.get(name) ?? 0,
        groups: groups.get(name) ?? 0,
        nowMs,
      }),
    );
}

/**
 * Returns the type of a handler: `built-in` for the name of a built-in handler, otherwise the type in its definition,
 * or null if it has none. The workflow of a pipeline counts as the definition of a handler.
 */
function typeOf(
  definitions: Pick<Definitions, 'in'>,
  { namespace, handler }: { readonly namespace: string; readonly handler: string },
): string | null {
  if (BUILT_IN.handlers.has(handler)) return 'built-in';
  return definitions.in(namespace).handler(handler)?.type ?? null;
}

function statusOf(
  name: string,
  type: string | null,
  figures: HandlerFigures | undefined,
  { deadLetters, groups, nowMs }: { readonly deadLetters: number; readonly groups: number; readonly nowMs: number },
): HandlerStatus {
  const { lastFailure, oldestAtMs } = figures ?? {};
  return {
    name,
    type,
    queued: figures?.waiting ?? 0,
    running: figures?.running ?? 0,
    retrying: figures?.retrying ?? 0,
    delivered: figures?.delivered ?? 0,
    failed: figures?.failed ?? 0,
    ...(groups > 0 && { groups }),
    dead_letters: deadLetters,
    last_error:
      lastFailure === undefined ? null : { at: Math.floor(lastFailure.atMs / 1000), reason: lastFailure.reason },
    oldest_age: oldestAtMs === undefined ? null : (nowMs - oldestAtMs) / 1000,
  };
}
