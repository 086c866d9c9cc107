import type { FailingHandler } from '../../../shared/domain/backend-conditions.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { HandlerQueues } from '../notify/delivery/handler-queues.ts';
import type { Clock } from '../ports.ts';

export interface FailingHandlerDependencies {
  readonly handlers: Pick<HandlerQueues, 'statistics'>;
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly clock: Clock;
}

/**
 * Returns the handlers that have failed since their last success, with the time since their first failure. A handler
 * that was reported before counts as failing until a run succeeds, even if it has not run since the backend started.
 *
 * @param reportedNames names of the handlers in the previous finding, which an earlier process may have stored
 */
export function failingHandlers(
  { handlers, definitions, clock }: FailingHandlerDependencies,
  reportedNames: ReadonlySet<string>,
): readonly FailingHandler[] {
  const figures = handlers.statistics();
  const nowMs = clock.monotonic();
  const failing: FailingHandler[] = [];
  for (const [name, { namespace, handler, failingSinceMs, lastFailure }] of figures) {
    if (failingSinceMs === undefined || !definitions.inNamespace(namespace).hasHandler(handler)) continue;
    const failingSeconds = (nowMs - failingSinceMs) / 1000;
    failing.push({ name, failingSeconds, wasReported: reportedNames.has(name), reason: lastFailure?.reason });
  }
  for (const name of reportedNames) {
    // Skip handlers with statistics, which the loop above has evaluated, and handlers that are no longer defined, which
    // can never succeed again.
    if (figures.has(name) || !isHandlerDefined(name, definitions)) continue;
    failing.push({ name, failingSeconds: undefined, wasReported: true, reason: undefined });
  }
  return failing;
}

/** True if the handler with this `qualifiedHandlerName` is still defined. */
function isHandlerDefined(name: string, definitions: Pick<Definitions, 'inNamespace'>): boolean {
  const slash = name.indexOf('/');
  return (
    definitions.inNamespace(DEFAULT_NAMESPACE).hasHandler(name) ||
    (slash > 0 && definitions.inNamespace(name.slice(0, slash)).hasHandler(name.slice(slash + 1)))
  );
}
