import type { FailingHandler } from '../../../shared/domain/backend-conditions.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { HandlerQueues } from '../notify/delivery/handler-queues.ts';
import type { Clock } from '../ports.ts';

export interface FailingHandlerParts {
  readonly handlers: Pick<HandlerQueues, 'statistics'>;
  readonly definitions: Pick<Definitions, 'in'>;
  readonly clock: Clock;
}

/**
 * Returns the handlers whose last run failed, with the time since their last success. A handler that failed before the
 * backend started counts until a run succeeds.
 *
 * @param reportedNames the names of handlers in an earlier finding
 */
export function failingHandlers(
  { handlers, definitions, clock }: FailingHandlerParts,
  reportedNames: ReadonlySet<string>,
): readonly FailingHandler[] {
  const figures = handlers.statistics();
  const nowMs = clock.monotonic();
  const failing: FailingHandler[] = [];
  for (const [name, { namespace, handler, failingSinceMs, lastFailure }] of figures) {
    if (failingSinceMs === undefined || !definitions.in(namespace).hasHandler(handler)) continue;
    const failingSeconds = reportedNames.has(name) ? Infinity : (nowMs - failingSinceMs) / 1000;
    failing.push({ name, failingSeconds, reason: lastFailure?.reason });
  }
  for (const name of reportedNames) {
    // A handler that is no longer defined never succeeds again.
    if (figures.has(name) || !isDefined(name, definitions)) continue;
    failing.push({ name, failingSeconds: undefined, reason: undefined });
  }
  return failing;
}

/** True if a handler is still defined, by its `qualifiedHandlerName`. */
function isDefined(name: string, definitions: Pick<Definitions, 'in'>): boolean {
  const slash = name.indexOf('/');
  return (
    definitions.in(DEFAULT_NAMESPACE).hasHandler(name) ||
    (slash > 0 && definitions.in(name.slice(0, slash)).hasHandler(name.slice(slash + 1)))
  );
}
