import type { ConfigInForce } from '../../config/config-in-force.ts';
import { sendList } from '../../http/list.ts';
import type { OnMon } from '../../http/route.ts';
import { visibleNamespaces } from '../../http/v2-collection.ts';
import type { NamespaceDeps } from '../../namespaces/request-namespaces.ts';
import type { Clock } from '../../ports.ts';
import type { DeadLetters } from './dead-letters.ts';
import { handlerStatuses } from './queries.ts';
import type { Lanes } from './lanes.ts';

interface HandlerDeps extends NamespaceDeps {
  readonly clock: Clock;
  readonly config: ConfigInForce;
  readonly deadLetters: DeadLetters;
  readonly handlers: Pick<Lanes, 'figures'>;
}

/** Returns the route of the mon API that lists the handlers with their counters and the lengths of their queues. */
export function handlersOnMon(deps: HandlerDeps): OnMon<'handlers'> {
  const { clock, config, handlers, deadLetters, registry } = deps;
  const { definitions } = config;
  return {
    handlers: (request, reply) => {
      const namespaces = visibleNamespaces(request, deps);
      const statuses = handlerStatuses({ definitions, handlers, deadLetters, registry }, namespaces, clock.now());
      return sendList(request, reply, statuses, (some) => some);
    },
  };
}
