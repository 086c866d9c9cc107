import { BusyError, MonError } from '../../../shared/errors.ts';
import type { Handler } from '../http/route.ts';

/**
 * Handlers whose internal failures are answered with 500, as those of events are (reference 7): a disk that is full, a store
 * that cannot be read. 503 says that trying again is right, and stays for what passes by itself.
 */
export function withInternalFailures<Handlers extends Readonly<Record<string, Handler<never>>>>(
  handlers: Handlers,
): Handlers {
  const guarded = Object.entries(handlers).map(([name, handler]) => [name, withInternalFailure(handler)]);
  return Object.fromEntries(guarded) as Handlers;
}

function withInternalFailure(handler: Handler<never>): Handler<never> {
  return async (request, reply, query) => {
    try {
      return await handler(request, reply, query);
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'unavailable' || error instanceof BusyError) throw error;
      throw new MonError('internal', error.message, { cause: error });
    }
  };
}
