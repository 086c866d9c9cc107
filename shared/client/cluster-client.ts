import { V2_HEALTH } from '../api/v2.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { requestOf } from './call-endpoint.ts';
import { openRequester } from './request.ts';

/** A backend of a cluster as the cluster itself sees it (clients 6). */
export interface ClusterMember {
  readonly name: string;
  readonly isHealthy: boolean;
}

/**
 * The members of a cluster of another make. Its health is at `GET /health` of the API.
 *
 * @returns undefined when what answers is no such cluster
 * @throws MonError `unavailable`
 */
export async function clusterMembers({
  backend,
  headers = {},
  timeoutMs = 30_000,
  env,
}: ApiClientOptions): Promise<readonly ClusterMember[] | undefined> {
  const address = backendAddress(backend, { env, headers });
  const ask = openRequester(address, timeoutMs);
  const { body } = await ask({ ...requestOf(V2_HEALTH.health), accept: [401, 404, 412, 503] });
  const health = V2_HEALTH.health.answer?.safeParse(body);
  return health?.data?.ClusterHealth?.map(({ Name: name, Healthy: isHealthy }) => ({ name, isHealthy }));
}
