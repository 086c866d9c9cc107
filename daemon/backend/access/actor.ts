import type { Actor } from '../../../shared/schemas/audit.ts';
import { loggedPath } from './logged-path.ts';
import { isAuthenticated, type Principal } from './principal.ts';

/** The parts of a request that the audit trail records. */
interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Network address of the sender. */
  readonly caller: string;
  readonly principal: Principal;
}

/**
 * Returns the sender of a request, for the audit trail.
 *
 * @param creator name that the request itself contains. It is recorded as the sender if the sender is not
 *   authenticated, and otherwise as the person on whose behalf the request is sent
 */
export function actorOf({ method, url, caller, principal }: SentRequest, creator?: string | null): Actor {
  const isVerified = isAuthenticated(principal);
  const other = creator === principal.name ? undefined : creator || undefined;
  return {
    who: isVerified ? principal.name : (other ?? principal.name),
    ...(isVerified && other !== undefined && { on_behalf_of: other }),
    ...(principal.account !== undefined && { issuer: principal.account.issuer, subject: principal.account.subject }),
    from: caller,
    how: `${method} ${loggedPath(url)}`,
  };
}
