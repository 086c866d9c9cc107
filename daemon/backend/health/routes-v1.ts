import { deepHealth, type HealthDependencies } from './deep-health.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { V1Handlers } from '../http/route.ts';
import { IndexSampler } from './index-check.ts';
import { transportOf } from './v1-info.ts';
import { type BackendStatus } from './backend-status.ts';

/** The limits in the query parameters of `GET /health`; undefined if a parameter is absent. */
interface HealthLimits {
  readonly minConsumers: number | undefined;
  readonly maxMessages: number | undefined;
}

/**
 * Serves `GET /health`: 204, or 412 with a sentence for each problem (completion 1.6). With `?deep=1` it returns
 * measured values and a comparison of memory with the store: 200, or 412 if there are `problems` (reliability 12).
 */
export function healthOnV1({
  status,
  health,
}: {
  readonly status: BackendStatus;
  readonly health: HealthDependencies;
}): V1Handlers<'health'> {
  const sampler = new IndexSampler(health);
  return {
    health: async (_request, reply, { consumers, messages, deep: depth }) => {
      const limits = { minConsumers: consumers, maxMessages: messages };
      const texts = depth === 1 ? DEEP_PROBLEM_TEXTS : V1_PROBLEM_TEXTS;
      const problems = healthProblems(status, health.cluster, limits, texts);
      if (depth === 1) {
        const deep = await deepHealth(health, problems, sampler);
        return reply.code(deep.problems.length === 0 ? 200 : 412).send(deep);
      }
      return problems.length === 0 ? reply.send() : reply.code(412).send(problems);
    },
  };
}

/** The problem texts of `GET /health` in the v1 API. Clients of the API parse them, so they name Redis as in Sensu. */
const V1_PROBLEM_TEXTS = { store: 'not connected to redis', results: 'not connected to transport' };

/**
 * The problem texts of `GET /health?deep=1`, which Sensu does not have: this backend has neither Redis nor a transport.
 */
const DEEP_PROBLEM_TEXTS = { store: 'the store does not accept writes', results: 'the backend is stopping' };

function healthProblems(
  status: BackendStatus,
  cluster: Pick<Cluster, 'acceptsWrites'>,
  { minConsumers, maxMessages }: HealthLimits,
  texts: typeof V1_PROBLEM_TEXTS,
): string[] {
  const problems: string[] = [];
  if (!status.isStoreOpen || !cluster.acceptsWrites) problems.push(texts.store);
  if (!status.acceptsResults) problems.push(texts.results);
  const { keepalives, results } = transportOf(status);
  for (const [name, queue] of [
    ['keepalive', keepalives],
    ['result', results],
  ] as const) {
    if (minConsumers !== undefined && queue.consumers < minConsumers) {
      problems.push(`${name} consumers (${String(queue.consumers)}) less than min_consumers (${String(minConsumers)})`);
    }
    if (maxMessages !== undefined && queue.messages > maxMessages) {
      problems.push(`${name} messages (${String(queue.messages)}) greater than max_messages (${String(maxMessages)})`);
    }
  }
  return problems;
}
