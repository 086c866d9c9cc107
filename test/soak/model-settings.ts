import type { ModelRule } from '../support/model-aggregates.ts';
import type { ModelHeard, ModelInhibition } from '../support/model-told.ts';
import type { ModelSettings } from '../support/reference-model.ts';

/* Settings of the backend in the model test, without its checks, and the same settings in the form of the model. */

/**
 * Group times in seconds. They differ from all sums of other times in a story, because it is not guaranteed which comes
 * first if a silence ends and a group is flushed at the same moment.
 */
const GROUP_TIMES = {
  quick: { wait: 27, interval: 301, repeat: 907 },
  slow: { wait: 59, interval: 503, repeat: 1811 },
};
const REMINDER = 613;
const IDLE = { after: 1500, expire: 1900 };

/** Names of the variants that are active in each part of the configuration. */
export interface ModelConfig {
  readonly inhibitions: keyof typeof INHIBITION_SETS;
  readonly rules: keyof typeof RULE_SETS;
  readonly groups: keyof typeof GROUP_TIMES | 'none';
}

export const FIRST_CONFIG: ModelConfig = { inhibitions: 'both', rules: 'both', groups: 'quick' };

const envOf = (client: object): string => {
  const { env } = client as { readonly env?: unknown };
  return typeof env === 'string' || typeof env === 'number' ? String(env) : '';
};

interface Inhibition {
  readonly written: { readonly source: string; readonly target: string; readonly equal: readonly string[] };
  readonly meant: Omit<ModelInhibition, 'mark'>;
}

const isOther =
  (name: string) =>
  ({ check }: ModelHeard): boolean =>
    check.name !== name;

const DISK: Inhibition = {
  written: { source: 'check=disk status=crit', target: 'check!=disk', equal: ['client'] },
  meant: {
    name: 'disk',
    source: ({ check, status }) => check.name === 'disk' && status === 2,
    target: isOther('disk'),
    common: ({ client }) => client.name,
  },
};
/** An inhibition rule with the name of `DISK` that covers more events. */
const ANY_DISK: Inhibition = {
  written: { source: 'check=disk', target: 'check!=disk', equal: ['client'] },
  meant: { ...DISK.meant, source: ({ check }) => check.name === 'disk' },
};
const SITE: Inhibition = {
  written: { source: 'check=cpu env=prod occurrences>1', target: 'check=defined or check=cpu', equal: ['client.env'] },
  meant: {
    name: 'site',
    source: ({ client, check, occurrences }) => check.name === 'cpu' && envOf(client) === 'prod' && occurrences > 1,
    target: ({ check }) => check.name === 'defined' || check.name === 'cpu',
    common: ({ client }) => envOf(client),
  },
};
const INHIBITION_SETS = { both: [DISK, SITE], site: [SITE], other: [ANY_DISK, SITE], none: [] } as const;

const FLEET_OK = {
  aggregate: 'fleet',
  warning: '40%',
  critical: 3,
  'min-results': 2,
  'ignore-silenced': true,
  interval: 40_000,
  check: { handlers: ['each'] },
} as const;
const FLEET_HEARD = {
  aggregate: 'fleet',
  stale: { after: 2000, warning: 1, critical: '60%' },
  interval: 50_000,
  check: { handlers: ['each'], resolve_after: 2 },
} as const;
const RULE_SETS: Readonly<Record<'both' | 'stricter' | 'none', Readonly<Record<string, ModelRule>>>> = {
  both: { 'fleet-ok': FLEET_OK, 'fleet-heard': FLEET_HEARD },
  stricter: { 'fleet-ok': { ...FLEET_OK, 'min-results': 1, critical: 1 } },
  none: {},
};

/** Returns the configuration of the backend for these variants. */
export function flagsOf({ inhibitions, rules, groups }: ModelConfig, url: string): object {
  return {
    handlers: { each: { type: 'webhook', url, handle_flapping: true }, default: groupingHandler(groups, url) },
    inhibitions: Object.fromEntries(INHIBITION_SETS[inhibitions].map(({ written, meant }) => [meant.name, written])),
    'aggregate-rules': RULE_SETS[rules],
    'silence-reminder': REMINDER,
    'silence-reminder-handler': 'each',
    'silence-idle-after': IDLE.after,
    'silence-idle-expire': IDLE.expire,
  };
}

/** Returns the definition of a handler that groups events by the `env` of their client, unless `groups` is `none`. */
function groupingHandler(groups: ModelConfig['groups'], url: string): object {
  if (groups === 'none') return { type: 'webhook', url };
  const { wait, interval, repeat } = GROUP_TIMES[groups];
  const grouping = { group_by: ['client.env'], group_wait: wait, group_interval: interval, repeat_interval: repeat };
  return { type: 'webhook', url, ...grouping };
}

/** Returns the settings of the model that correspond to `flagsOf`. */
export function settingsOf({ inhibitions, rules, groups }: ModelConfig): ModelSettings {
  const times = groups === 'none' ? undefined : GROUP_TIMES[groups];
  return {
    handlers: {
      inhibitions: INHIBITION_SETS[inhibitions].map(({ written, meant }) =>
        Object.assign({ mark: `${meant.name}: ${written.source}` }, meant),
      ),
      groupOf: envOf,
      times: times && { wait: times.wait * 1000, interval: times.interval * 1000, repeat: times.repeat * 1000 },
    },
    rules: RULE_SETS[rules],
    reminder: REMINDER,
    idle: IDLE,
  };
}
