import { backendAddress } from '../shared/client/local-access.ts';
import type { ShownBackend } from './effects/shown-backend.ts';
import { loginLines } from './words/login-text.ts';

/** Maximum time, in milliseconds, that the start of the console waits for the backend's answer. */
const ANSWER_MS = 2000;

/**
 * Logs the user in before the console takes over the screen, if there are no credentials and the backend has single
 * sign-on.
 *
 * @throws MonError if the login is denied or not confirmed in time
 */
export async function offerLogin(
  { backend, env, members }: ShownBackend,
  write: (text: string) => unknown,
): Promise<void> {
  if (members !== undefined || env === undefined) return;
  const { url, headers } = backendAddress(backend, { env });
  if (headers['authorization'] !== undefined) return;
  // The code for requests is loaded late: most consoles have credentials and do not wait for it.
  const { logIn, loginMethods } = await import('../shared/client/log-in.ts');
  const methods = await loginMethods({ backend, env }, ANSWER_MS).catch(() => undefined);
  if (!methods?.oidc) return;
  write(`${url} requires a login.\n`);
  const username = await logIn(
    { backend, env },
    {
      show: (started) => write(`${loginLines(started).join('\n')}\n`),
      wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    },
  );
  write(`Logged in as ${username}\n`);
}
