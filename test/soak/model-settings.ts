import type { ModelInhibition } from '../support/model-told.ts';
import type { ModelSettings } from '../support/reference-model.ts';

/* What the backend of the model check is configured with beside its checks, and what the model makes of it. */

/** No sum of the times in a story: what ends at the same moment as a group has its turn comes in an order that nobody promises. */
const GROUP_TIMES = { wait: 27, interval: 301, repeat: 907 };
const REMINDER = 613;
const IDLE = { after: 1500, expire: 1900 };

/** `each` is told of every event, `default` of what clients of the same `env` have. */
export function handlersAt(url: string): object {
  const { wait, interval, repeat } = GROUP_TIMES;
  const grouping = { group_by: ['client.env'], group_wait: wait, group_interval: interval, repeat_interval: repeat };
  return {
    each: { type: 'webhook', url, handle_flapping: true },
    default: { type: 'webhook', url, ...grouping },
  };
}

export const INHIBITIONS = {
  disk: { when: 'check=disk status=crit', quiet: 'check!=disk', equal: ['client'] },
  site: { when: 'check=cpu env=prod occurrences>1', quiet: 'check=defined or check=cpu', equal: ['client.env'] },
};

const envOf = (client: object): string => {
  const { env } = client as { readonly env?: unknown };
  return typeof env === 'string' || typeof env === 'number' ? String(env) : '';
};

const MODEL_INHIBITIONS: readonly ModelInhibition[] = [
  {
    name: 'disk',
    when: ({ check, status }) => check.name === 'disk' && status === 2,
    quiet: ({ check }) => check.name !== 'disk',
    common: ({ client }) => client.name,
  },
  {
    name: 'site',
    when: ({ client, check, occurrences }) => check.name === 'cpu' && envOf(client) === 'prod' && occurrences > 1,
    quiet: ({ check }) => check.name === 'defined' || check.name === 'cpu',
    common: ({ client }) => envOf(client),
  },
];

export const MODEL_SETTINGS = {
  handlers: {
    inhibitions: MODEL_INHIBITIONS,
    groupOf: envOf,
    times: {
      wait: GROUP_TIMES.wait * 1000,
      interval: GROUP_TIMES.interval * 1000,
      repeat: GROUP_TIMES.repeat * 1000,
    },
  },
  rules: {
    'fleet-ok': {
      aggregate: 'fleet',
      warning: '40%',
      critical: 3,
      least: 2,
      'leave-out-silenced': true,
      interval: 40_000,
      check: { handlers: ['each'] },
    },
    'fleet-heard': {
      aggregate: 'fleet',
      stale: { after: 2000, warning: 1, critical: '60%' },
      interval: 50_000,
      check: { handlers: ['each'], resolve_after: 2 },
    },
  },
  reminder: REMINDER,
  idle: IDLE,
} as const satisfies ModelSettings;
