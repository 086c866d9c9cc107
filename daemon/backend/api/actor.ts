import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';

/**
 * Who sends a request, for the audit trail.
 *
 * @param creator whom the request names itself: believed only where nobody has to show credentials
 */
export function actorOf(
  { method, url, ip }: Pick<FastifyRequest, 'method' | 'url' | 'ip'>,
  { config }: { readonly config: Pick<ConfigInForce, 'api'> },
  creator?: string | null,
): Actor {
  // Whoever got this far has shown the credentials of this user.
  const who = config.api.user ?? (creator || 'anonymous');
  return { who, from: ip, how: `${method} ${url.split('?', 1)[0] ?? ''}` };
}
