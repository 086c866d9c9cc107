import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { MACHINES, switchOf, type Machine, type MachineRole } from './machines.ts';
import {
  backup,
  certificate,
  pseudoRandom,
  disk,
  http,
  load,
  ping,
  replication,
  uplink,
  type DemoResult,
} from './troubles.ts';

interface DemoCheck {
  readonly roles: readonly MachineRole[];
  readonly find: (machine: Machine, second: number) => DemoResult;
  /** Further attributes of the definition, which its results contain too. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Returns additional attributes for the results of one machine. */
  readonly attributesOf?: (machine: Machine) => Readonly<Record<string, unknown>>;
}

const HOSTS = ['web', 'app', 'db', 'cache', 'storage'] as const;
const FLAPPING = { low_flap_threshold: 20, high_flap_threshold: 50 };

/** Seconds between two results of a check. */
export const INTERVAL = 30;

/** The checks of the site, by name. */
const CHECKS: Readonly<Record<string, DemoCheck>> = {
  uplink: { roles: ['switch'], find: uplink, attributes: { aggregates: ['network'] } },
  ping: {
    roles: HOSTS,
    find: ping,
    // The handler of the switch does not get the hosts behind it.
    attributesOf: ({ rack }) => ({ dependencies: [`${switchOf(rack)}/uplink`] }),
  },
  disk: { roles: HOSTS, find: disk },
  load: { roles: HOSTS, find: load, attributes: FLAPPING },
  http: { roles: ['web'], find: http, attributes: { aggregates: ['shop'] } },
  certificate: { roles: ['web'], find: certificate },
  replication: { roles: ['db'], find: replication, attributes: { aggregates: ['databases'] } },
  backup: { roles: ['db', 'storage'], find: backup },
};

/**
 * Returns the definitions for the backend. The site itself runs the checks.
 *
 * @param folder directory for the output of handlers
 */
export function demoDefinitions(folder: string): object {
  const checks = Object.entries(CHECKS).map(([name, { roles, attributes }]) => [
    name,
    {
      command: `check-${name}`,
      subscribers: roles,
      interval: INTERVAL,
      publish: false,
      handlers: ['on-call'],
      ...attributes,
    },
  ]);
  const filters = ['occurrences', 'check_dependencies'];
  const handlers = {
    'on-call': { type: 'set', handlers: ['journal', 'racks', 'chat'] },
    journal: { type: 'pipe', command: `cat >> ${folder}/journal.jsonl`, filters },
    // This handler groups: it runs once for all new events of a rack.
    racks: {
      type: 'pipe',
      command: `cat >> ${folder}/racks.jsonl`,
      filters,
      group_by: ['client.rack'],
      group_wait: 15,
      group_interval: 60,
    },
    // No server listens there: its runs are retried, and become dead letters for the demonstration.
    chat: { type: 'webhook', preset: 'slack', url: 'http://127.0.0.1:1/', severities: ['critical'], filters },
  };
  // Of a rack that goes dark its switch alone is told.
  const inhibitions = { 'rack-dark': { source: 'check=uplink', target: 'check!=uplink', equal: ['client.rack'] } };
  return { checks: Object.fromEntries(checks) as object, handlers, inhibitions };
}

interface Watched {
  readonly machine: Machine;
  readonly name: string;
  readonly check: DemoCheck;
}

/** The checks of all machines, by the second of the interval in which they are due. */
const BY_SECOND: readonly (readonly Watched[])[] = bySecond();

function bySecond(): Watched[][] {
  const seconds = Array.from({ length: INTERVAL }, (): Watched[] => []);
  for (const machine of MACHINES) {
    for (const [name, check] of Object.entries(CHECKS)) {
      if (!check.roles.includes(machine.role)) continue;
      seconds[Math.floor(pseudoRandom('due', machine.at, name) * INTERVAL)]?.push({ machine, name, check });
    }
  }
  return seconds;
}

/**
 * Returns the results that are due in one second.
 *
 * @param second seconds since the site began; negative for the past
 * @param executed the same time in epoch seconds
 */
export function resultsDue(second: number, executed: number): SubmittedResult[] {
  const due = BY_SECOND[((second % INTERVAL) + INTERVAL) % INTERVAL] ?? [];
  return due.map(({ machine, name, check }) => {
    const result: SubmittedResult = {
      source: machine.name,
      name,
      ...check.find(machine, second),
      executed,
      issued: executed,
      duration: Number((0.01 + 0.4 * pseudoRandom('duration', machine.at, name, second)).toFixed(3)),
      interval: INTERVAL,
      command: `check-${name}`,
      handlers: ['on-call'],
    };
    return Object.assign(result, check.attributes, check.attributesOf?.(machine));
  });
}
