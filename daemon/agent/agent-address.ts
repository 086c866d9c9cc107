import { parseBackendAddress, type BackendAddress } from '../../shared/client/backend-address.ts';
import { rendezvousOrder } from '../../shared/domain/rendezvous.ts';
import { MonError } from '../../shared/errors.ts';
import { AGENT_PATH } from '../../shared/schemas/agent.ts';

export type AgentAddress = Pick<BackendAddress, 'url' | 'headers'>;

/** The maximum number of backends: with more, an agent that reaches none of them would need minutes for one round. */
const BACKENDS_MAX = 16;

/**
 * Returns the backends of a comma-separated list, in the order in which this agent tries them.
 *
 * @param name the name of the client: each client has an order of its own
 * @throws MonError as `agentAddress`
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
 * Returns the agent endpoint of a backend, whose URL may have any of its forms: `http://host:4567`, `wss://host/agent`.
 * Credentials come from the URL, else from the API key, else from `MON_AGENT_CREDENTIALS` as `user:password`.
 *
 * @param key an API key; default: the one in `MON_API_KEY`
 * @throws MonError `invalid`, without repeating text that may contain a password
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
