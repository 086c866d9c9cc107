import { z } from 'zod';
import { openV2Client, type V2Client } from '../../../shared/client/v2-client.ts';
import { backendAddress } from '../../../shared/client/local-access.ts';
import { openRequester, readResponse } from '../../../shared/client/request.ts';
import type { CommandCall } from '../command.ts';

const TIMEOUT_MS = 30_000;

const tokenSchema = z.looseObject({ access_token: z.string().min(1) });

/**
 * Opens a v2 API client for a Sensu Go cluster. User and password are exchanged for an access token, because the
 * cluster accepts them for nothing else (clients 6). Other credentials are sent unchanged.
 *
 * @throws MonError `unauthenticated`, `unavailable`
 */
export async function clusterV2(call: Pick<CommandCall, 'backend' | 'credentials' | 'v2'>): Promise<V2Client> {
  const address = backendAddress(call.backend, { env: call.credentials });
  if (address.headers['authorization']?.startsWith('Basic ') !== true) return call.v2();
  const ask = openRequester(address, TIMEOUT_MS);
  const { access_token: token } = readResponse(await ask({ method: 'GET', path: ['auth'] }), tokenSchema, address.url);
  return openV2Client({
    backend: address.url,
    env: call.credentials,
    headers: { authorization: `Bearer ${token}` },
  });
}
