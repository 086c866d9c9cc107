import type { IncomingHttpHeaders } from 'node:http';
import { isForwarded } from '../../../shared/domain/caller-address.ts';
import { hostNameIn, isOwnHost } from '../../../shared/domain/own-host.ts';
import { MonError } from '../../../shared/errors.ts';

/** True if the address can be reached only from this machine, or belongs to it. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);
}

/**
 * Rejects requests of foreign pages that reach an open backend on this machine by resolving their own name to it (DNS
 * rebinding), see `isOwnHost`.
 *
 * @throws MonError `forbidden`
 */
export function refuseForeignHost({ host }: IncomingHttpHeaders, hostname: string): void {
  if (isOwnHost(host, hostname)) return;
  throw new MonError(
    'forbidden',
    `without credentials only requests from this machine are allowed: use localhost instead of ${hostNameIn(host)}, or set api.user and api.password`,
  );
}

/**
 * Rejects requests that came through a proxy. A proxy on this machine makes every caller appear local, so its requests
 * count as remote, whether or not the proxy is trusted.
 *
 * @throws MonError `forbidden`
 */
export function refuseForwarded(headers: IncomingHttpHeaders): void {
  if (!isForwarded(headers)) return;
  throw new MonError(
    'forbidden',
    'without credentials only requests from this machine are allowed, and this request came through a proxy: create an administrator with mon-backend init, or set api.user and api.password',
  );
}
