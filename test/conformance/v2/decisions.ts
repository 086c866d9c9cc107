import { AGENT_DECISIONS } from './agent-decisions.ts';
import { CLUSTER_DECISIONS } from './cluster-decisions.ts';
import type { Decision } from './decision.ts';
import { EVENT_DECISIONS } from './event-decisions.ts';
import { RESOURCE_DECISIONS } from './resource-decisions.ts';

/** All intended differences from the recorded Sensu Go, each with its reason and the correct response. */
export const DECISIONS: readonly Decision[] = [
  ...AGENT_DECISIONS,
  ...CLUSTER_DECISIONS,
  ...EVENT_DECISIONS,
  ...RESOURCE_DECISIONS,
];
