import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { isAuthenticated } from './principal.ts';
import { loggedPath } from '../http/logged-path.ts';

/**
 * Who sends a request, for the audit trail.
 *
 * @param creator whom the request names itself: who it is where nobody has to show credentials, else on whose behalf it is sent
 */
export function actorOf(
  { method, url, caller, principal }: Pick<FastifyRequest, 'method' | 'url' | 'caller' | 'principal'>,
  creator?: string | null,
): Actor {
  const isKnown = isAuthenticated(principal);
  const other = creator === principal.name ? undefined : creator || undefined;
  return {
    who: isKnown ? principal.name : (other ?? principal.name),
    ...(isKnown && other !== undefined && { on_behalf_of: other }),
    from: caller,
    how: `${method} ${loggedPath(url)}`,
  };
}
