import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { creatorOf } from './access.ts';
import { loggedPath } from './logged-path.ts';

/**
 * Who sends a request, for the audit trail.
 *
 * @param creator whom the request names itself: believed only where nobody has to show credentials
 */
export function actorOf(
  { method, url, caller, principal }: Pick<FastifyRequest, 'method' | 'url' | 'caller' | 'principal'>,
  creator?: string | null,
): Actor {
  return {
    who: creatorOf(principal, creator) || principal.name,
    from: caller,
    how: `${method} ${loggedPath(url)}`,
  };
}
