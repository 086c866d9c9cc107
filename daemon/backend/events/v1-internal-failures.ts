import { BusyError, MonError } from '../../../shared/errors.ts';
import type { Handler } from '../http/route.ts';

/**
 * Wraps handlers so that internal failures, such as a full disk or an unreadable store, get 500 as those of events do
 * (reference 7). 503 means that a retry is useful, and remains for temporary problems.
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
