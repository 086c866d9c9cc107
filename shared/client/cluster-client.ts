import { z } from 'zod';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { openRequester, readAnswer } from './request.ts';

/** A backend of a cluster as the cluster itself sees it (clients 6). */
export interface ClusterMember {
  readonly name: string;
  readonly isHealthy: boolean;
}

const memberSchema = z.looseObject({ Name: z.string(), Healthy: z.boolean() });
const healthSchema = z.looseObject({ ClusterHealth: z.array(memberSchema).nullable() });

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
  const { url } = address;
  const ask = openRequester(address, timeoutMs);
  const answer = await ask({ method: 'GET', path: ['health'], accept: [401, 404, 412, 503] });
  if (!healthSchema.safeParse(answer.body).success) return undefined;
  const { ClusterHealth: members } = readAnswer(answer, healthSchema, url);
  return members?.map(({ Name: name, Healthy: isHealthy }) => ({ name, isHealthy }));
}
