import { MON_API } from '../api/mon.ts';
import { MonError } from '../errors.ts';
import { loginPollResponse, type DeviceAuthorization, type LoginMethods } from '../schemas/oidc.ts';
import { parseBackendAddresses, type BackendAddress, type CredentialsEnv } from './backend-address.ts';
import { endpointCaller, requestOf } from './call-endpoint.ts';
import { openRequester, readResponse, type ApiResponse, type Requester } from './request.ts';
import { authorizationOf, LoginFile } from './stored-login.ts';

const REQUEST_TIMEOUT_MS = 20_000;
/** The additional seconds between two polls after the issuer asked for fewer (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** The functions that a login needs from its program. */
interface LoginDialog {
  /** Shows the user the URL to open and the code to enter there. */
  readonly show: (started: DeviceAuthorization) => void;
  readonly wait: (ms: number) => Promise<void>;
}

interface LoginTarget {
  /** A URL or a list of URLs, as the user wrote it. */
  readonly backend: string;
  /** Environment variables with the TLS options, the credentials and the directory of the stored logins. */
  readonly env: CredentialsEnv;
}

/**
 * Returns how users log in at a backend by single sign-on.
 *
 * @throws MonError if the backend does not answer within `timeoutMs`
 */
export async function loginMethods(target: LoginTarget, timeoutMs: number): Promise<LoginMethods> {
  const { url, send } = requesterOf(target, timeoutMs);
  return await endpointCaller(url, send).call(MON_API.loginMethods);
}

/**
 * Logs the user in at the identity provider of a backend, and stores the tokens.
 *
 * @returns the name of the user
 * @throws MonError `conflict` if other credentials take precedence over a login, `not_found` if the backend has no
 *   single sign-on, `forbidden` or `unauthenticated` if the login is denied or not confirmed in time
 */
export async function logIn(target: LoginTarget, { show, wait }: LoginDialog): Promise<string> {
  const { url, send, file, hasCredentials } = requesterOf(target);
  if (hasCredentials) {
    throw new MonError(
      'conflict',
      `other credentials for ${url} take precedence over a login: remove MON_API_KEY, MON_CREDENTIALS, the user in the URL, or the key or password of the context`,
    );
  }
  const started = await endpointCaller(url, send).call(MON_API.startLogin);
  show(started);
  let pauseSeconds = started.interval;
  for (let leftSeconds = started.expires_in; leftSeconds > 0; leftSeconds -= pauseSeconds) {
    await wait(pauseSeconds * 1000);
    const response = await poll(send, started);
    if (response === undefined) continue;
    const outcome = readResponse(response, loginPollResponse, url);
    if ('access_token' in outcome && typeof outcome.username === 'string') {
      file.write(outcome.username, response);
      return outcome.username;
    }
    if (outcome.status === 'slow_down') pauseSeconds += SLOW_DOWN_SECONDS;
  }
  throw new MonError('unauthenticated', 'the login was not confirmed in time: log in again');
}

/**
 * Ends the stored login at the backend and at the identity provider, and removes it from this machine.
 *
 * @returns the name of the user; undefined if there is no stored login
 * @throws MonError `unavailable` if the backend does not answer; the login is removed from this machine in any case
 */
export async function logOut(target: LoginTarget): Promise<string | undefined> {
  const { address, url, file } = requesterOf(target);
  const login = file.read();
  if (login === undefined) return undefined;
  const send = openRequester({ ...address, url, headers: authorizationOf(login) }, REQUEST_TIMEOUT_MS);
  try {
    const { refresh_token } = login;
    // 401: the session has ended already.
    await send({ method: 'POST', path: ['auth', 'logout'], body: { refresh_token }, accept: [401] });
  } finally {
    file.remove();
  }
  return login.username;
}

/** Polls once; undefined if the backend or the issuer does not answer, so that the next poll can succeed. */
async function poll(send: Requester, { device_code }: DeviceAuthorization): Promise<ApiResponse | undefined> {
  try {
    return await send(requestOf(MON_API.pollLogin, { body: { device_code } }));
  } catch (error) {
    if (error instanceof MonError && error.code === 'unavailable') return undefined;
    throw error;
  }
}

function requesterOf(
  { backend, env }: LoginTarget,
  timeoutMs = REQUEST_TIMEOUT_MS,
): {
  readonly address: BackendAddress;
  readonly url: string;
  readonly send: Requester;
  readonly file: LoginFile;
  readonly hasCredentials: boolean;
} {
  const [address] = parseBackendAddresses(backend, env);
  const { url, headers } = address;
  return {
    address,
    url,
    send: openRequester({ ...address, headers: {} }, timeoutMs),
    file: new LoginFile(env['MON_LOGIN_DIR'] ?? '', url),
    hasCredentials: headers['authorization'] !== undefined,
  };
}
