import type { Actor } from '../../../shared/schemas/audit.ts';
import { loggedPath } from './logged-path.ts';
import { isAuthenticated, type Principal } from './principal.ts';

/** A request, as far as the trail tells of it. */
interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Address of who sends it. */
  readonly caller: string;
  readonly principal: Principal;
}

/**
 * Who sends a request, for the audit trail.
 *
 * @param creator whom the request names itself: who it is where nobody has to show credentials, else on whose behalf it is sent
 */
export function actorOf({ method, url, caller, principal }: SentRequest, creator?: string | null): Actor {
  const isKnown = isAuthenticated(principal);
  const other = creator === principal.name ? undefined : creator || undefined;
  return {
    who: isKnown ? principal.name : (other ?? principal.name),
    ...(isKnown && other !== undefined && { on_behalf_of: other }),
    from: caller,
    how: `${method} ${loggedPath(url)}`,
  };
}
