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
  /** Additional attributes of the check's definition. The results of the check contain them too. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Returns additional attributes for the check's results on one machine. */
  readonly attributesOf?: (machine: Machine) => Readonly<Record<string, unknown>>;
}

const HOSTS = ['web', 'app', 'db', 'cache', 'storage'] as const;
const FLAPPING = { low_flap_threshold: 20, high_flap_threshold: 50 };

/** Interval of every check, in seconds. */
export const INTERVAL = 30;

/** The simulated checks of the site, by name. */
const CHECKS: Readonly<Record<string, DemoCheck>> = {
  uplink: { roles: ['switch'], find: uplink, attributes: { aggregates: ['network'] } },
  ping: {
    roles: HOSTS,
    find: ping,
    // The filter `check_dependencies` uses this attribute: events of hosts behind a failed switch are not notified.
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
 * Returns the definitions for the backend. The checks are not published, because the site submits their results itself.
 *
 * @param folder directory in which the handlers write their output
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
    // This handler groups events: it runs once for all new events of a rack.
    racks: {
      type: 'pipe',
      command: `cat >> ${folder}/racks.jsonl`,
      filters,
      group_by: ['client.rack'],
      group_wait: 15,
      group_interval: 60,
    },
    // No server listens on this port: the handler fails, is retried, and leaves dead letters for the demonstration.
    chat: { type: 'webhook', preset: 'slack', url: 'http://127.0.0.1:1/', severities: ['critical'], filters },
  };
  // When the switch of a rack is down, only the event of the switch is notified.
  const inhibitions = { 'rack-dark': { source: 'check=uplink', target: 'check!=uplink', equal: ['client.rack'] } };
  return { checks: Object.fromEntries(checks) as object, handlers, inhibitions };
}

interface Watched {
  readonly machine: Machine;
  readonly name: string;
  readonly check: DemoCheck;
}

/** The checks of all machines, indexed by the second of the interval in which each check is due. */
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
 * @param second seconds since the site began; negative before that
 * @param executed the same moment in epoch seconds
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
