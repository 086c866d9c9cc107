import type { IncomingHttpHeaders } from 'node:http';
import { isForwarded } from '../../../shared/domain/caller-address.ts';
import { parseHostName, isOwnHost } from '../../../shared/domain/own-host.ts';
import { MonError } from '../../../shared/errors.ts';

/** True for a loopback address, also an IPv4 address in IPv6 form, and for the name `localhost`. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);
}

/**
 * Rejects a request whose Host header does not name this machine (`isOwnHost`). A web page of another site can reach a
 * backend on this machine by resolving its own host name to it (DNS rebinding).
 *
 * @throws MonError `forbidden`
 */
export function refuseForeignHost({ host }: IncomingHttpHeaders, hostname: string): void {
  if (isOwnHost(host, hostname)) return;
  throw new MonError(
    'forbidden',
    `without credentials only requests from this machine are allowed: use localhost instead of ${parseHostName(host)}, or set api.user and api.password`,
  );
}

/**
 * Rejects a request that came through a proxy, whether or not the proxy is trusted: a proxy on this machine makes every
 * caller appear local.
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
