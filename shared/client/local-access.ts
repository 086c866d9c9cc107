import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBackendAddresses, type BackendAddress, type CredentialsEnv } from './backend-address.ts';

/**
 * A file, with mode 0600, that a backend writes for the programs on its own host. It contains its URL and a token with
 * administrator rights for local connections. The token is valid until the backend stops.
 */
export interface LocalAccess {
  /** `http://127.0.0.1:4567`: a loopback address, for which alone the token is valid. */
  readonly url: string;
  readonly token: string;
}

/** Name of the file in the state directory. */
export const LOCAL_ACCESS_FILE = 'local-access.json';

/** Current and former state directories of packages; the backend's user and root can read the file there. */
const PACKAGED_STATE_DIRS = ['/var/lib/mon/mon-backend', '/var/lib/mon'];

const FILE_BYTES_MAX = 4096;
const TOKEN = /^ml_[\w-]{43}$/;
/** A numeric loopback address: a name may resolve to another program that listens on the other address family. */
const LOOPBACK_URL = /^https?:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
const LOCALHOST_URL = /^(?<scheme>https?:\/\/)localhost(?<port>(?::\d+)?)$/;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the directory in which the programs of one user find each other: `$XDG_RUNTIME_DIR/mon`, else a directory of
 * their own for temporary files.
 */
export function runtimeDirectory(env: Env = process.env): string {
  const [first = ''] = runtimeDirectories(env);
  return first;
}

/** Returns all candidates, because the variable is not set in every session of a user. */
function runtimeDirectories({ XDG_RUNTIME_DIR: runtime = '' }: Env): readonly string[] {
  const user = String(process.getuid?.() ?? 'user');
  const ofSession = runtime === '' ? [] : [join(runtime, 'mon')];
  return [...ofSession, join(tmpdir(), `mon-${user}`), join('/run/user', user, 'mon')];
}

/** Returns the path of a backend's file in the runtime directory, such as `127.0.0.1_4567.json`. */
export function runtimeFile(directory: string, url: string): string {
  const { protocol, host } = new URL(url);
  const scheme = protocol === 'https:' ? 'https_' : '';
  return join(directory, `${scheme}${host.replaceAll(/[^\w.]/g, '_')}.json`);
}

interface AddressOptions {
  /** Variables with credentials that are not in the URL. Default: the process environment. */
  readonly env?: CredentialsEnv | undefined;
  /** Additional headers; they override those of the credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A state directory to search before the usual ones. */
  readonly stateDir?: string | undefined;
}

/**
 * Returns the address of a backend with credentials from the URL or the environment, or else those of a local backend
 * for its user. The local file is read for each request, because a restart replaces it.
 *
 * @throws MonError `invalid` as `parseBackendAddresses`
 */
export function backendAddress(backend: string, { env, headers = {}, stateDir }: AddressOptions = {}): BackendAddress {
  const [first, ...others] = parseBackendAddresses(backend, env).map((address) =>
    localAddress(address, headers, stateDir),
  );
  if (first === undefined) throw new Error('no backend is configured');
  if (others.length === 0) return first;
  return new BackendList([first, ...others]);
}

/** Several backends with one store; uses one at a time, until it cannot be reached. */
class BackendList implements BackendAddress {
  readonly others: number;
  readonly #addresses: readonly [BackendAddress, ...BackendAddress[]];
  #at = 0;

  constructor(addresses: readonly [BackendAddress, ...BackendAddress[]]) {
    this.#addresses = addresses;
    this.others = addresses.length - 1;
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

  readonly failOverFrom = (url: string): void => {
    if (url === this.url) this.#at = (this.#at + 1) % this.#addresses.length;
  };

  get #current(): BackendAddress {
    return this.#addresses[this.#at] ?? this.#addresses[0];
  }
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
 * Returns the local access of the backend at this address; undefined if no file can be read.
 *
 * @param url with a loopback address as its host
 */
export function findLocalAccess(url: string, stateDir?: string): LocalAccess | undefined {
  for (const access of accessesFor(url, [stateDir ?? '', process.env['MON_STATE_DIR'] ?? ''])) {
    if (access?.url === url) return access;
  }
  return undefined;
}

function* accessesFor(url: string, stateDirs: readonly string[]): Generator<LocalAccess | undefined, void> {
  for (const dir of stateDirs) if (dir !== '') yield readLocalAccess(join(dir, LOCAL_ACCESS_FILE));
  for (const dir of runtimeDirectories(process.env)) {
    // Other users could have created this directory, and a token of theirs would hide the right one.
    yield readLocalAccess(runtimeFile(dir, url), process.getuid?.());
  }
  for (const dir of PACKAGED_STATE_DIRS) yield readLocalAccess(join(dir, LOCAL_ACCESS_FILE));
}

/**
 * @param owner user id that must own the file
 * @returns undefined if there is no such file, or it is invalid
 */
export function readLocalAccess(file: string, owner?: number): LocalAccess | undefined {
  let descriptor: number | undefined;
  try {
    // Non-blocking, because the path may be a pipe without a writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > FILE_BYTES_MAX || (owner !== undefined && stat.uid !== owner)) return undefined;
    const { url, token } = JSON.parse(readFileSync(descriptor, 'utf8')) as Partial<Record<string, unknown>>;
    if (typeof url !== 'string' || typeof token !== 'string') return undefined;
    return LOOPBACK_URL.test(url) && TOKEN.test(token) ? { url, token } : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns the numeric loopback URL of a local backend; undefined if it may be another host or program. */
function localUrl(url: string, find: (url: string) => LocalAccess | undefined): string | undefined {
  if (LOOPBACK_URL.test(url)) return url;
  const { scheme, port = '' } = LOCALHOST_URL.exec(url)?.groups ?? {};
  if (scheme === undefined) return undefined;
  return [`${scheme}127.0.0.1${port}`, `${scheme}[::1]${port}`].find((own) => find(own) !== undefined);
}
