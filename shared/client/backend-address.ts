import { MonError } from '../errors.ts';
import { readAuthorities } from '../tls/authorities.ts';
import type { ClientTls } from '../tls/client-tls.ts';

/**
 * URL, credentials and TLS options of a backend. The URL is separate from the credentials, so that no message repeats a
 * password.
 */
export interface BackendAddress {
  /** The URL without credentials, query and trailing slash: `http://127.0.0.1:4567`. Safe to display. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** TLS options for an https URL; undefined for the defaults of Node.js. */
  readonly tls?: ClientTls | undefined;
  /** Number of other backends in a list of backends that share one store; undefined if there is only one backend. */
  readonly otherCount?: number;
  /**
   * Switches to the next backend of the list because `url` could not be reached. It has no effect if `url` is no longer
   * the current backend, so a failure that is reported twice switches once.
   */
  readonly failOverFrom?: (url: string) => void;
  /**
   * Renews the credentials in `headers` if they expire soon; undefined if they cannot be renewed.
   *
   * @param isForced true to renew them in any case, because the backend rejected them
   * @returns true if they were renewed
   */
  readonly renew?: ((isForced?: boolean) => Promise<boolean>) | undefined;
}

/** Maximum number of backends in a list. With more, a program that can reach none of them would try for minutes. */
const BACKENDS_MAX = 16;

/**
 * Environment variables with credentials and TLS options.
 *
 * - `MON_API_KEY`: an API key
 * - `MON_CREDENTIALS`: `user:password`
 * - `MON_LOGIN_DIR`: the directory with the logins that `monctl login` stored; set by the programs, not by users
 * - `MON_TRUSTED_CA_FILE`: a file with trusted CA certificates
 * - `MON_INSECURE_SKIP_TLS_VERIFY`: `true` disables the verification of certificates
 */
export type CredentialsEnv = Readonly<Record<string, string | undefined>>;

/**
 * Parses the URL of a backend, or a comma-separated list of backends that share one store. Credentials come from the
 * URL (`http://user:password@host`), else from `MON_API_KEY`, else from `MON_CREDENTIALS`. `ws:` and `wss:` are treated
 * as `http:` and `https:`.
 *
 * @throws MonError `invalid` if the text is not an http(s) URL, the list is too long, or the credentials cannot be sent
 */
export function parseBackendAddresses(
  backends: string,
  env: CredentialsEnv = process.env,
): readonly [BackendAddress, ...BackendAddress[]] {
  const [first = '', ...others] = backends.split(',').map((each) => each.trim());
  if (others.length >= BACKENDS_MAX) {
    throw new MonError('invalid', `at most ${String(BACKENDS_MAX)} backends`);
  }
  return [parseBackendAddress(first, env), ...others.map((each) => parseBackendAddress(each, env))];
}

/**
 * Parses the URL of one backend, see `parseBackendAddresses`.
 *
 * @throws MonError `invalid` if the text is not an http(s) URL, or the credentials cannot be sent
 */
export function parseBackendAddress(backend: string, env: CredentialsEnv = process.env): BackendAddress {
  const address = backend.replace(/^ws(?=s?:)/, 'http');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // The message does not repeat the invalid URL, because it could contain a password.
    throw new MonError('invalid', 'the backend must be a URL like http://127.0.0.1:4567 or https://mon.example.org');
  }
  const authorization = authorizationOf(url, env);
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    headers: authorization === undefined ? {} : { authorization },
    ...(url.protocol === 'https:' ? { tls: tlsOf(env) } : {}),
  };
}

/**
 * Converts TLS options of a command line or a configuration file to the environment variables that
 * `parseBackendAddresses` reads.
 */
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
 * Returns a warning if the verification of the backend's certificate is disabled; undefined otherwise.
 *
 * @throws MonError `invalid` if the text is not an http(s) URL, the list is too long, or the credentials cannot be sent
 */
export function addressWarning(backend: string, env?: CredentialsEnv): string | undefined {
  const [{ url, tls }] = parseBackendAddresses(backend, env);
  return tls?.isUnverified === true ? unverifiedWarning(url) : undefined;
}

export function unverifiedWarning(url: string): string {
  return `the certificate of ${url} is not verified: attackers in the network can read and change everything; set trusted-ca-file instead of insecure-skip-tls-verify`;
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
    return basicAuthorization(`${percentDecoded(url.username)}:${percentDecoded(url.password)}`);
  }
  const key = env['MON_API_KEY'] ?? '';
  if (key !== '') {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new MonError(
        'invalid',
        'MON_API_KEY contains a character that is not allowed in API keys: set MON_API_KEY to the key only',
      );
    }
    return `Key ${key}`;
  }
  const credentials = env['MON_CREDENTIALS'] ?? '';
  if (credentials === '') return undefined;
  if (!credentials.includes(':')) throw new MonError('invalid', 'MON_CREDENTIALS must be user:password');
  return basicAuthorization(credentials);
}

function basicAuthorization(credentials: string): string {
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MonError('invalid', 'the credentials in the backend URL are not percent-encoded: write % as %25');
  }
}
