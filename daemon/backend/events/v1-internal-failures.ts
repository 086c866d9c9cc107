import { BusyError, MonError } from '../../../shared/errors.ts';
import type { Handler } from '../http/route.ts';

/**
 * Wraps route handlers so that a full disk or an unreadable store yields 500 instead of 503, as in the event routes of
 * Sensu (reference 7). A busy backend still yields 503, which means that a retry is useful.
 */
export function reportInternalFailures<Handlers extends Readonly<Record<string, Handler<never>>>>(
  handlers: Handlers,
): Handlers {
  const guarded = Object.entries(handlers).map(([name, handler]) => [name, reportInternalFailure(handler)]);
  return Object.fromEntries(guarded) as Handlers;
}

function reportInternalFailure(handler: Handler<never>): Handler<never> {
  return async (request, reply, query) => {
    try {
      return await handler(request, reply, query);
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'unavailable' || error instanceof BusyError) throw error;
      throw new MonError('internal', error.message, { cause: error });
    }
  };
}
