import { parseBackendAddress, type BackendAddress } from '../../shared/client/backend-address.ts';
import { MonError } from '../../shared/errors.ts';
import { AGENT_PATH } from '../../shared/schemas/agent.ts';

/**
 * Where agents are taken in, for a backend's URL in any of its forms: `http://host:4567`, `wss://host/agent`.
 * Credentials come from the URL or from `MON_AGENT_CREDENTIALS`, as `user:password`.
 *
 * @throws MonError `invalid`, without repeating what may hold a password
 */
export function agentAddress(backend: string, env: Readonly<Record<string, string | undefined>>): BackendAddress {
  const credentials = env['MON_AGENT_CREDENTIALS'];
  if (credentials !== undefined && !credentials.includes(':')) {
    throw new MonError('invalid', 'MON_AGENT_CREDENTIALS must be user:password');
  }
  const { url, headers } = parseBackendAddress(backend.replace(/^ws(?=s?:)/, 'http'), { MON_CREDENTIALS: credentials });
  const socketUrl = url.replace(/^http/, 'ws');
  return { url: socketUrl.endsWith(AGENT_PATH) ? socketUrl : `${socketUrl}${AGENT_PATH}`, headers };
}
