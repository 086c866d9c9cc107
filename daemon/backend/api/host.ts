import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { MonError } from '../../../shared/errors.ts';

/** Whether nobody but this machine can reach the address. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);
}

/**
 * Keeps pages of other sites from reaching an open backend on this machine by letting their own name point to it (DNS
 * rebinding; design, S5): to the browser such a page is one of this host. For that they need a name that others can
 * look up, which has a dot; addresses and the names of this machine are fine.
 *
 * @throws MonError `forbidden`
 */
export function refuseForeignHost({ host = '' }: IncomingHttpHeaders, hostname: string): void {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (isAddress || !name.includes('.') || name.endsWith('.localhost') || name === hostname.toLowerCase()) return;
  throw new MonError(
    'forbidden',
    `without credentials only this machine is answered: ask for localhost instead of ${name}, or set api.user and api.password`,
  );
}
