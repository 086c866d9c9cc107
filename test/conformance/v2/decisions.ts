import { AGENT_DECISIONS } from './agent-decisions.ts';
import { CLUSTER_DECISIONS } from './cluster-decisions.ts';
import type { Decision } from './decision.ts';
import { EVENT_DECISIONS } from './event-decisions.ts';
import { RESOURCE_DECISIONS } from './resource-decisions.ts';

/** All differences from the recorded Sensu Go, with their reasons and the correct responses. */
export const DECISIONS: readonly Decision[] = [
  ...AGENT_DECISIONS,
  ...CLUSTER_DECISIONS,
  ...EVENT_DECISIONS,
  ...RESOURCE_DECISIONS,
];
