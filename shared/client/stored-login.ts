import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { MonError } from '../errors.ts';
import type { BackendAddress } from './backend-address.ts';

/** The tokens of a user who logged in, as a file stores them for the next programs. */
export interface StoredLogin {
  /** URL of the backend that issued the tokens. */
  readonly url: string;
  readonly username: string;
  readonly access_token: string;
  readonly refresh_token: string;
  /** Time from which on the tokens should be renewed, epoch milliseconds on the clock of this machine. */
  readonly renew_at_ms: number;
}

/** A response with tokens: the body and the headers. */
interface TokenResponse {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const FILE_BYTES_MAX = 64 * 1024;
const TOKEN_FORMAT = /^[\w.~+/=-]{1,8192}$/;
const OTHER_USERS_MODE_BITS = 0o077;

/** Time, in milliseconds, before the expiry of an access token from which on it is renewed. */
const RENEW_EARLY_MS = 25_000;
const REQUEST_TIMEOUT_MS = 20_000;

/** The renewals in progress in this process, by file. */
const renewals = new Map<string, Promise<void>>();

/**
 * The stored login for one backend. Several programs share the file: each reads it again for every request, and the
 * first that finds the tokens old renews them.
 */
export class LoginFile {
  readonly #directory: string;
  readonly #url: string;
  #path: string | undefined;

  /** @param url URL of the backend; of a list of backends, the first one */
  constructor(directory: string, url: string) {
    this.#directory = directory;
    this.#url = url;
  }

  get path(): string {
    this.#path ??= join(this.#directory, `${crypto().hash('sha256', this.#url).slice(0, 32)}.json`);
    return this.#path;
  }

  /** Returns the stored login; undefined if there is none, or if other users could have read or replaced it. */
  read(): StoredLogin | undefined {
    let descriptor: number | undefined;
    try {
      // `O_NONBLOCK`, because the path could be a pipe without a writer.
      descriptor = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
      const { mode, uid, size } = fstatSync(descriptor);
      if (uid !== process.getuid?.() || (mode & OTHER_USERS_MODE_BITS) !== 0 || size > FILE_BYTES_MAX) return undefined;
      const login = JSON.parse(readFileSync(descriptor, 'utf8')) as unknown;
      return isStoredLogin(login) && login.url === this.#url ? login : undefined;
    } catch {
      return undefined;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /**
   * Stores the tokens of a response. Only the user of this process can read the file.
   *
   * @throws MonError `internal` if the response contains no tokens
   */
  write(username: string, response: TokenResponse): void {
    const login = { url: this.#url, username, ...tokensOf(response) };
    if (!isStoredLogin(login)) {
      throw new MonError('internal', `${this.#url} sent an invalid response: check that it is a mon backend`);
    }
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${crypto().randomUUID()}.tmp`;
    try {
      writeFileSync(draft, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(draft, this.path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  /**
   * Renews the tokens shortly before they expire. If the backend has ended the session, the file is removed. Other
   * failures have no effect: the next request reports them.
   *
   * @param isForced true to renew the tokens although they are not old, because the backend rejected them
   * @returns true if there is a login now that was renewed
   */
  async renew(address: Pick<BackendAddress, 'url' | 'tls'>, isForced = false): Promise<boolean> {
    const present = this.read();
    if (present === undefined || (!isForced && Date.now() < present.renew_at_ms)) return false;
    let renewal = renewals.get(this.path);
    if (renewal === undefined) {
      renewal = this.#renew(address, present).finally(() => renewals.delete(this.path));
      renewals.set(this.path, renewal);
    }
    await renewal;
    return this.read()?.access_token !== present.access_token && this.read() !== undefined;
  }

  async #renew({ url, tls }: Pick<BackendAddress, 'url' | 'tls'>, present: StoredLogin): Promise<void> {
    const { openRequester } = await import('./request.ts');
    const send = openRequester({ url, headers: authorizationOf(present), tls }, REQUEST_TIMEOUT_MS);
    try {
      const { refresh_token } = present;
      this.write(present.username, await send({ method: 'POST', path: ['auth', 'token'], body: { refresh_token } }));
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
      // Another program possibly has renewed the tokens in the meantime.
      if (error.code === 'unauthenticated' && this.read()?.refresh_token === present.refresh_token) this.remove();
    }
  }
}

/** Loads the module when it is first needed, because the console is drawn before it reads a login. */
function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}

/** Returns the request header with the access token of a login. */
export function authorizationOf({ access_token: token }: Pick<StoredLogin, 'access_token'>): {
  readonly authorization: string;
} {
  return { authorization: `Bearer ${token}` };
}

function tokensOf({ body, headers = {} }: TokenResponse): Partial<StoredLogin> {
  const { access_token, refresh_token, expires_at } = (body ?? {}) as Readonly<Record<string, unknown>>;
  // The lifetime is the difference between two times of the backend, because the clock of this machine can differ.
  const sentMs = Date.parse(String(headers['date']));
  const lifetimeMs = Number(expires_at) * 1000 - (Number.isNaN(sentMs) ? Date.now() : sentMs);
  return {
    access_token: String(access_token),
    refresh_token: String(refresh_token),
    renew_at_ms: Date.now() + lifetimeMs - RENEW_EARLY_MS,
  };
}

function isStoredLogin(value: unknown): value is StoredLogin {
  if (typeof value !== 'object' || value === null) return false;
  const { url, username, access_token, refresh_token, renew_at_ms } = value as Partial<Record<string, unknown>>;
  return (
    typeof url === 'string' &&
    typeof username === 'string' &&
    typeof access_token === 'string' &&
    TOKEN_FORMAT.test(access_token) &&
    typeof refresh_token === 'string' &&
    TOKEN_FORMAT.test(refresh_token) &&
    Number.isFinite(renew_at_ms)
  );
}
