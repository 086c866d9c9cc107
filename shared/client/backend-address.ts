import { MonError } from '../errors.ts';
import { readAuthorities } from '../tls/authorities.ts';
import type { ClientTls } from '../tls/client-tls.ts';

/** Where a backend is and how to show who we are, taken apart so that no message ever repeats a password. */
export interface BackendAddress {
  /** Without credentials, query and trailing slash: `http://127.0.0.1:4567`. Safe to show. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of an https URL; default: what Node.js does. */
  readonly tls?: ClientTls | undefined;
  /** Of a list of backends with one store: how many there are beside this one. */
  readonly others?: number;
  /** Turns to the next one of the list when the one at `url` could not be reached; who comes second is turned already. */
  readonly turnFrom?: (url: string) => void;
}

/** More would make a program that finds none of them try for minutes. */
const BACKENDS_MAX = 16;

/**
 * `MON_API_KEY`: a key; `MON_CREDENTIALS`: `user:password`; `MON_TRUSTED_CA_FILE`: a file with the certificates of the
 * authorities to trust; `MON_INSECURE_SKIP_TLS_VERIFY`: `true` to believe anybody.
 */
export type CredentialsEnv = Readonly<Record<string, string | undefined>>;

/**
 * Reads the URL of a backend, or those of several with one store between commas. Credentials are those in the URL (`http://user:password@host`), else the key or the user and
 * password of the environment, else none. `ws` and `wss` mean the same as `http` and `https`.
 *
 * @throws MonError `invalid` when the text is no http(s) URL or the credentials cannot be sent
 */
export function parseBackendAddresses(
  backends: string,
  env: CredentialsEnv = process.env,
): readonly [BackendAddress, ...BackendAddress[]] {
  const [first = '', ...others] = backends.split(',').map((each) => each.trim());
  if (others.length >= BACKENDS_MAX) {
    throw new MonError('invalid', `name at most ${String(BACKENDS_MAX)} backends`);
  }
  return [parseBackendAddress(first, env), ...others.map((each) => parseBackendAddress(each, env))];
}

/**
 * Reads the URL of one backend.
 *
 * @throws MonError as `parseBackendAddresses`
 */
export function parseBackendAddress(backend: string, env: CredentialsEnv = process.env): BackendAddress {
  const address = backend.replace(/^ws(?=s?:)/, 'http');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // Not repeated in the message: what was typed may hold a password.
    throw new MonError('invalid', 'the backend must be a URL like http://127.0.0.1:4567 or https://mon.example.org');
  }
  const authorization = authorizationOf(url, env);
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    headers: authorization === undefined ? {} : { authorization },
    ...(url.protocol === 'https:' ? { tls: tlsOf(env) } : {}),
  };
}

/** As variables, which go wherever the credentials go, for what a command line or a configuration file says. */
export function tlsVariables({
  trustedCaFile,
  isUnverified,
}: {
  readonly trustedCaFile: string | undefined;
  readonly isUnverified: boolean | undefined;
}): CredentialsEnv {
  return {
    ...(trustedCaFile === undefined ? {} : { MON_TRUSTED_CA_FILE: trustedCaFile }),
    ...(isUnverified === undefined ? {} : { MON_INSECURE_SKIP_TLS_VERIFY: String(isUnverified) }),
  };
}

/**
 * What is to be said of an address that cannot be relied on; undefined: nothing.
 *
 * @throws MonError as `parseBackendAddress`
 */
export function addressWarning(backend: string, env?: CredentialsEnv): string | undefined {
  const [{ url, tls }] = parseBackendAddresses(backend, env);
  return tls?.isUnverified === true ? unverifiedWarning(url) : undefined;
}

export function unverifiedWarning(url: string): string {
  return `the certificate of ${url} is not verified: whoever is on the way can read and change everything; name its authority in trusted-ca-file in place of insecure-skip-tls-verify`;
}

function tlsOf({ MON_TRUSTED_CA_FILE: file = '', MON_INSECURE_SKIP_TLS_VERIFY: skip = '' }: CredentialsEnv): ClientTls {
  if (!/^(?:true|false|1|0|)$/.test(skip)) {
    throw new MonError('invalid', 'MON_INSECURE_SKIP_TLS_VERIFY must be true or false');
  }
  return {
    ...(file === '' ? {} : { ca: readAuthorities(file, 'trusted-ca-file').pem }),
    ...(skip === 'true' || skip === '1' ? { isUnverified: true } : {}),
  };
}

function authorizationOf(url: URL, env: CredentialsEnv): string | undefined {
  if (url.username !== '' || url.password !== '') {
    return basic(`${percentDecoded(url.username)}:${percentDecoded(url.password)}`);
  }
  const key = env['MON_API_KEY'] ?? '';
  if (key !== '') {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new MonError('invalid', 'MON_API_KEY holds a character that no key has: set it to the key alone');
    }
    return `Key ${key}`;
  }
  const credentials = env['MON_CREDENTIALS'] ?? '';
  if (credentials === '') return undefined;
  if (!credentials.includes(':')) throw new MonError('invalid', 'MON_CREDENTIALS must be user:password');
  return basic(credentials);
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MonError('invalid', 'the credentials in the backend URL are not percent-encoded: write % as %25');
  }
}
