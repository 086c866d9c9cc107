import { parseBackendAddress, type BackendAddress } from '../../shared/client/backend-address.ts';
import { rendezvousOrder } from '../../shared/domain/rendezvous.ts';
import { MonError } from '../../shared/errors.ts';
import { AGENT_PATH } from '../../shared/schemas/agent.ts';

export type AgentAddress = Pick<BackendAddress, 'url' | 'headers'>;

/** Maximum number of backends. An agent that can reach none of them would need minutes to try more. */
const BACKENDS_MAX = 16;

/**
 * Returns the addresses of comma-separated backend URLs, in the order in which this agent tries them.
 *
 * @param name the name of the client, from which the order is computed, so that agents spread over the backends
 * @param key an API key; default: the one in `MON_API_KEY`
 * @throws MonError `invalid` if there are too many URLs, or a URL or the credentials are invalid
 */
export function agentAddresses(
  backends: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  key?: string,
): readonly AgentAddress[] {
  const listed = backends.split(',').map((each) => each.trim());
  if (listed.length > BACKENDS_MAX) {
    throw new MonError('invalid', `backend: at most ${String(BACKENDS_MAX)} URLs are allowed`);
  }
  return rendezvousOrder(name, listed).map((each) => agentAddress(each, env, key));
}

/**
 * Returns the WebSocket URL of the agent endpoint of a backend, and the headers with the credentials. `backend` is an
 * HTTP or WebSocket URL, with or without the path: `http://host:4567`, `wss://host/agent`. Credentials come from the
 * URL, else from the API key, else from `MON_AGENT_CREDENTIALS` as `user:password`.
 *
 * @param key an API key; default: the one in `MON_API_KEY`
 * @throws MonError `invalid` if the URL or the credentials are invalid; the message contains no password
 */
export function agentAddress(
  backend: string,
  env: Readonly<Record<string, string | undefined>>,
  key = env['MON_API_KEY'],
): AgentAddress {
  const credentials = env['MON_AGENT_CREDENTIALS'];
  if (credentials !== undefined && !credentials.includes(':')) {
    throw new MonError('invalid', 'MON_AGENT_CREDENTIALS must be user:password');
  }
  const { url, headers } = parseBackendAddress(backend.replace(/^ws(?=s?:)/, 'http'), {
    MON_CREDENTIALS: credentials,
    MON_API_KEY: key,
  });
  const socketUrl = url.replace(/^http/, 'ws');
  return { url: socketUrl.endsWith(AGENT_PATH) ? socketUrl : `${socketUrl}${AGENT_PATH}`, headers };
}
