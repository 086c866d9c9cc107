import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizationOf, LoginFile } from './stored-login.ts';
import { parseBackendAddresses, type BackendAddress, type CredentialsEnv } from './backend-address.ts';

/**
 * The content of a file, with mode 0600, that a backend writes for programs on its own host: its URL, and a token with
 * administrator rights for local connections. The token is valid until the backend stops.
 */
export interface LocalAccess {
  /** A loopback URL such as `http://127.0.0.1:4567`. The token must not be sent to any other URL. */
  readonly url: string;
  readonly token: string;
}

/** Name of the local access file in the state directory. */
export const LOCAL_ACCESS_FILE = 'local-access.json';

/**
 * The current and the former state directory of the packages. Only root and the user that runs the backend can read the
 * local access file there.
 */
const PACKAGED_STATE_DIRS = ['/var/lib/mon/mon-backend', '/var/lib/mon'];

const FILE_BYTES_MAX = 4096;
const TOKEN_FORMAT = /^ml_[\w-]{43}$/;
/**
 * Matches a URL with a numeric loopback address. A name such as `localhost` can resolve to an IPv4 and an IPv6 address,
 * and another program can listen at one of the two.
 */
const LOOPBACK_URL = /^https?:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
const LOCALHOST_URL = /^(?<scheme>https?:\/\/)localhost(?<port>(?::\d+)?)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the directory in which the backends and clients of one user find each other: `$XDG_RUNTIME_DIR/mon`, or
 * `mon-<user id>` in the directory for temporary files.
 */
export function runtimeDirectory(env: Environment = process.env): string {
  const [first = ''] = runtimeDirectories(env);
  return first;
}

/**
 * Returns all directories in which a backend can have written its local access file. `XDG_RUNTIME_DIR` is not set in
 * every session of a user.
 */
function runtimeDirectories({ XDG_RUNTIME_DIR: runtime = '' }: Environment): readonly string[] {
  const user = String(process.getuid?.() ?? 'user');
  const ofSession = runtime === '' ? [] : [join(runtime, 'mon')];
  return [...ofSession, join(tmpdir(), `mon-${user}`), join('/run/user', user, 'mon')];
}

/**
 * Returns the path of the local access file of a backend in the runtime directory: its name is like
 * `127.0.0.1_4567.json`.
 */
export function runtimeFile(directory: string, url: string): string {
  const { protocol, host } = new URL(url);
  const scheme = protocol === 'https:' ? 'https_' : '';
  return join(directory, `${scheme}${host.replaceAll(/[^\w.]/g, '_')}.json`);
}

interface AddressOptions {
  /** Environment variables from which credentials are read if the URL has none. Default: `process.env`. */
  readonly env?: CredentialsEnv | undefined;
  /** Additional headers; they override those of the credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A state directory that is searched before the default ones. */
  readonly stateDir?: string | undefined;
}

/**
 * Returns the address of a backend. Credentials come from the URL, else from the environment, else from the local
 * access file of a backend on this host. That file is read for each request, because a restart of the backend replaces
 * it.
 *
 * @throws MonError `invalid` if the text is not an http(s) URL, the list is too long, or the credentials cannot be sent
 */
export function backendAddress(backend: string, { env, headers = {}, stateDir }: AddressOptions = {}): BackendAddress {
  const parsed = parseBackendAddresses(backend, env);
  const { MON_LOGIN_DIR: directory = '' } = env ?? {};
  const login = directory === '' ? undefined : new LoginFile(directory, parsed[0].url);
  const [first, ...others] = parsed.map((address) => {
    const local = localAddress(address, headers, stateDir);
    return login === undefined || address.headers['authorization'] !== undefined
      ? local
      : loginAddress(local, headers, login);
  });
  if (first === undefined) throw new Error('no backend is configured');
  if (others.length === 0) return first;
  return new BackendList([first, ...others]);
}

/** Several backends that share one store. Requests go to one of them until it cannot be reached, then to the next. */
class BackendList implements BackendAddress {
  readonly otherCount: number;
  readonly #addresses: readonly [BackendAddress, ...BackendAddress[]];
  #at = 0;

  constructor(addresses: readonly [BackendAddress, ...BackendAddress[]]) {
    this.#addresses = addresses;
    this.otherCount = addresses.length - 1;
  }

  get url(): string {
    return this.#current.url;
  }

  get headers(): BackendAddress['headers'] {
    return this.#current.headers;
  }

  get tls(): BackendAddress['tls'] {
    return this.#current.tls;
  }

  get renew(): BackendAddress['renew'] {
    return this.#current.renew;
  }

  readonly failOverFrom = (url: string): void => {
    if (url === this.url) this.#at = (this.#at + 1) % this.#addresses.length;
  };

  get #current(): BackendAddress {
    return this.#addresses[this.#at] ?? this.#addresses[0];
  }
}

/** Returns an address that uses the stored login, if there is one when a request is sent. */
function loginAddress(
  address: BackendAddress,
  headers: Readonly<Record<string, string>>,
  login: LoginFile,
): BackendAddress {
  const { url, tls } = address;
  return {
    url,
    ...(tls !== undefined && { tls }),
    get headers() {
      const stored = login.read();
      return stored === undefined ? address.headers : { ...authorizationOf(stored), ...headers };
    },
    renew: (isForced) => login.renew({ url, tls }, isForced),
  };
}

function localAddress(
  address: BackendAddress,
  headers: Readonly<Record<string, string>>,
  stateDir: string | undefined,
): BackendAddress {
  const find = (own: string): LocalAccess | undefined => findLocalAccess(own, stateDir);
  const url = address.headers['authorization'] === undefined ? localUrl(address.url, find) : undefined;
  if (url === undefined) return { ...address, headers: { ...address.headers, ...headers } };
  return {
    ...address,
    url,
    get headers() {
      const access = find(url);
      return { ...(access === undefined ? {} : { authorization: `Bearer ${access.token}` }), ...headers };
    },
  };
}

/**
 * Returns the URL and token of the local backend with this URL; undefined if no file with them can be read.
 *
 * @param url URL with a numeric loopback address
 */
export function findLocalAccess(url: string, stateDir?: string): LocalAccess | undefined {
  for (const access of localAccessCandidates(url, [stateDir ?? '', process.env['MON_STATE_DIR'] ?? ''])) {
    if (access?.url === url) return access;
  }
  return undefined;
}

function* localAccessCandidates(url: string, stateDirs: readonly string[]): Generator<LocalAccess | undefined, void> {
  for (const dir of stateDirs) if (dir !== '') yield readLocalAccess(join(dir, LOCAL_ACCESS_FILE));
  for (const dir of runtimeDirectories(process.env)) {
    // Another user could have created this directory, so only a file of the own user is accepted: a wrong token would
    // hide the right one.
    yield readLocalAccess(runtimeFile(dir, url), process.getuid?.());
  }
  for (const dir of PACKAGED_STATE_DIRS) yield readLocalAccess(join(dir, LOCAL_ACCESS_FILE));
}

/**
 * Reads a local access file.
 *
 * @param owner id of the user that must own the file; undefined for any user
 * @returns the URL and the token; undefined if there is no such file, or it is invalid
 */
export function readLocalAccess(file: string, owner?: number): LocalAccess | undefined {
  let descriptor: number | undefined;
  try {
    // `O_NONBLOCK`, because the path could be a pipe without a writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > FILE_BYTES_MAX || (owner !== undefined && stat.uid !== owner)) return undefined;
    const { url, token } = JSON.parse(readFileSync(descriptor, 'utf8')) as Partial<Record<string, unknown>>;
    if (typeof url !== 'string' || typeof token !== 'string') return undefined;
    return LOOPBACK_URL.test(url) && TOKEN_FORMAT.test(token) ? { url, token } : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Returns the URL of a local backend with a numeric loopback address; undefined if the URL can lead to another host or
 * program.
 */
function localUrl(url: string, find: (url: string) => LocalAccess | undefined): string | undefined {
  if (LOOPBACK_URL.test(url)) return url;
  const { scheme, port = '' } = LOCALHOST_URL.exec(url)?.groups ?? {};
  if (scheme === undefined) return undefined;
  return [`${scheme}127.0.0.1${port}`, `${scheme}[::1]${port}`].find((own) => find(own) !== undefined);
}
