import type { FastifyReply, FastifyRequest } from 'fastify';
import { BusyError, MonError } from '../../../shared/errors.ts';
import type { Access } from '../access/principal.ts';
import { needs } from './route.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * As `needs`, for events, whose internal failures are answered with 500 (reference 7): a disk that is full, a store that cannot
 * be read. 503 says that trying again is right, and stays for what passes by itself.
 */
export function needsOfEvents(access: Access, handler: Handler): ReturnType<typeof needs> {
  return needs(access, async (request, reply) => {
    try {
      return await handler(request, reply);
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'unavailable' || error instanceof BusyError) throw error;
      throw new MonError('internal', error.message, { cause: error });
    }
  });
}
