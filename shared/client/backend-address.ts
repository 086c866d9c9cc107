import { MonError } from '../errors.ts';

/** Where a backend is and how to show who we are, taken apart so that no message ever repeats a password. */
export interface BackendAddress {
  /** Without credentials, query and trailing slash: `http://127.0.0.1:4567`. Safe to show. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `MON_API_KEY`: a key; `MON_CREDENTIALS`: `user:password`. */
export type CredentialsEnv = Readonly<Record<string, string | undefined>>;

/**
 * Reads a backend's URL. Credentials are those in the URL (`http://user:password@host`), else the key or the user and
 * password of the environment, else none.
 *
 * @throws MonError `invalid` when the text is no http(s) URL or the credentials cannot be sent
 */
export function parseBackendAddress(backend: string, env: CredentialsEnv = process.env): BackendAddress {
  const url = URL.canParse(backend) ? new URL(backend) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // Not repeated in the message: what was typed may hold a password.
    throw new MonError('invalid', 'the backend must be a URL like http://127.0.0.1:4567 or https://mon.example.org');
  }
  const authorization = authorizationOf(url, env);
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    headers: authorization === undefined ? {} : { authorization },
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
