import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../shared/errors.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import { ANONYMOUS, type Principal } from './access.ts';
import { FailedLogins, FREE_FAILURES } from './failed-logins.ts';
import { isLoopback, refuseForeignHost } from './host.ts';
import { Credentials } from './password.ts';

/**
 * Lets a caller in, or throws. The answer is there at once for nearly all of them; only a password that has not been
 * seen before takes its time.
 *
 * @param address of the caller
 * @throws MonError `unauthenticated`, `forbidden`, `unavailable`; the promise likewise
 */
export type Authorize = (headers: IncomingHttpHeaders, address: string) => Promise<Principal> | Principal;

interface AuthorizerParts {
  /** The settings in force: credentials that a reload changes count from then on. */
  readonly config: { readonly api: Pick<ApiSettings, 'user' | 'password'> };
  /** Where the backend listens, and the name of this machine. */
  readonly place: { readonly address: string; readonly hostname: string };
  readonly clock: Clock;
  readonly log: Log;
}

const BASIC = /^basic +([A-Za-z\d+/=_-]+) *$/i;

/**
 * Who may speak to this backend, over HTTP and WebSocket alike: with credentials configured whoever has them, else
 * everybody, but on loopback no page of another site.
 */
export function authorizer(parts: AuthorizerParts): Authorize {
  const { config, place } = parts;
  const failed = new FailedLogins(parts.clock);
  let { api } = config;
  let authorize = guardOf(api);

  function guardOf({ user, password }: AuthorizerParts['config']['api']): Authorize {
    if (user !== undefined && password !== undefined) {
      return credentialsGuard(new Credentials(user, password), failed, parts.log);
    }
    if (!isLoopback(place.address)) return () => ANONYMOUS;
    return (headers) => {
      refuseForeignHost(headers, place.hostname);
      return ANONYMOUS;
    };
  }

  return (headers, address) => {
    if (config.api !== api) {
      ({ api } = config);
      authorize = guardOf(api);
    }
    return authorize(headers, address);
  };
}

function credentialsGuard(credentials: Credentials, failed: FailedLogins, log: Log): Authorize {
  const principal: Principal = { name: credentials.user, scopes: new Set(['admin']), via: 'password' };

  async function attempt(pair: string, address: string): Promise<Principal> {
    const sameUnderWay = credentials.underWay(pair);
    if (sameUnderWay !== undefined) {
      if (!(await sameUnderWay)) throw refusal();
      return principal;
    }
    using login = await failed.begin(address);
    if (await credentials.verify(pair)) return principal;
    const failures = login.fail();
    // The user is not told either: people type their password there.
    if (failures < FREE_FAILURES) log.warn({ remote_address: address }, 'authentication failed');
    else if (failures === FREE_FAILURES) {
      log.warn({ remote_address: address, failures }, 'authentication failed too often, slowing this address down');
    }
    throw refusal();
  }

  return ({ authorization }, address) => {
    const pair = basicPair(authorization ?? '');
    if (pair === undefined) throw refusal();
    return credentials.isKnown(pair) ? principal : attempt(pair, address);
  };
}

function refusal(): MonError {
  return new MonError('unauthenticated', 'credentials are missing or wrong: send user and password by HTTP Basic');
}

/** `user:password`. The user ends at the first colon: a password may hold more of them (completion 1.1). */
function basicPair(header: string): string | undefined {
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString();
  return pair.includes(':') ? pair : undefined;
}
