import type { ConfigInForce } from '../../config/config-in-force.ts';
import { sendList } from '../../http/list.ts';
import type { MonHandlers } from '../../http/route.ts';
import { visibleNamespaces } from '../../http/v2-collection.ts';
import type { NamespaceDependencies } from '../../namespaces/request-namespaces.ts';
import type { Clock } from '../../ports.ts';
import type { DeadLetters } from './dead-letters.ts';
import { listHandlerStatuses } from './queries.ts';
import type { HandlerQueues } from './handler-queues.ts';

interface HandlerListDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly deadLetters: DeadLetters;
  readonly handlers: Pick<HandlerQueues, 'statistics'>;
}

/** Returns the route of the mon API that lists the handlers with their counters and the lengths of their queues. */
export function handlersOnMon(deps: HandlerListDependencies): MonHandlers<'handlers'> {
  const { clock, config, handlers, deadLetters, registry } = deps;
  const { definitions } = config;
  return {
    handlers: (request, reply) => {
      const namespaces = visibleNamespaces(request, deps);
      const statuses = listHandlerStatuses(
        { definitions, handlerQueues: handlers, deadLetters, registry },
        namespaces,
        clock.now(),
      );
      return sendList(request, reply, statuses, (some) => some);
    },
  };
}
