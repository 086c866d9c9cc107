import { V2_HEALTH } from '../api/v2.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { requestOf } from './call-endpoint.ts';
import { openRequester } from './request.ts';

/** A backend of a Sensu Go cluster, as `GET /health` reports it (clients 6). */
export interface SensuGoMember {
  readonly name: string;
  readonly isHealthy: boolean;
}

/**
 * Reads the members of a Sensu Go cluster from `GET /health` of its API.
 *
 * @returns the members; undefined if the response does not describe such a cluster
 * @throws MonError `unavailable` if the backend cannot be reached
 */
export async function clusterMembers({
  backend,
  headers = {},
  timeoutMs = 30_000,
  env,
}: ApiClientOptions): Promise<readonly SensuGoMember[] | undefined> {
  const address = backendAddress(backend, { env, headers });
  const ask = openRequester(address, timeoutMs);
  const { body } = await ask({ ...requestOf(V2_HEALTH.health), accept: [401, 404, 412, 503] });
  const health = V2_HEALTH.health.response?.safeParse(body);
  return health?.data?.ClusterHealth?.map(({ Name: name, Healthy: isHealthy }) => ({ name, isHealthy }));
}
