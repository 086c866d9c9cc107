import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../shared/errors.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import { isLoopback, refuseForeignHost } from './host.ts';

/** @throws MonError `unauthenticated`, `forbidden` */
export type Authorize = (headers: IncomingHttpHeaders) => void;

const BASIC = /^basic +([A-Za-z\d+/=_-]+) *$/i;

/**
 * Who may speak to this backend, over HTTP and WebSocket alike: with credentials configured whoever has them, else
 * everybody, but on loopback no page of another site.
 *
 * @param place where the backend listens, and the name of this machine
 */
export function authorizer(
  { user, password }: Pick<ApiSettings, 'user' | 'password'>,
  place: { readonly address: string; readonly hostname: string },
): Authorize {
  if (user !== undefined && password !== undefined) return credentialsGuard(user, password);
  if (isLoopback(place.address)) return (headers) => refuseForeignHost(headers, place.hostname);
  return () => undefined;
}

function credentialsGuard(user: string, password: string): Authorize {
  const expected = { user: digest(user), password: digest(password) };
  return ({ authorization }) => {
    const given = basicCredentials(authorization ?? '');
    // Both are compared, and by digests of one length: the time tells neither what was right nor how long it is.
    const isUser = timingSafeEqual(digest(given?.user ?? ''), expected.user);
    const isPassword = timingSafeEqual(digest(given?.password ?? ''), expected.password);
    if (given === undefined || !isUser || !isPassword) {
      throw new MonError('unauthenticated', 'credentials are missing or wrong: send user and password by HTTP Basic');
    }
  };
}

/** Split at the first colon only: a password may hold more of them (completion 1.1). */
function basicCredentials(header: string): { readonly user: string; readonly password: string } | undefined {
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
