import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { ALL_MACHINES, switchOf, type Machine, type MachineRole } from './machines.ts';
import {
  isTroubled,
  backupResult,
  loadLevel,
  certificateResult,
  pseudoRandom,
  diskResult,
  httpResult,
  loadResult,
  pingResult,
  replicationResult,
  uplinkResult,
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

const HOST_ROLES = ['web', 'app', 'db', 'cache', 'storage'] as const;
const FLAP_THRESHOLDS = { low_flap_threshold: 20, high_flap_threshold: 50 };

/** Interval of every check, in seconds. */
export const CHECK_INTERVAL_SECONDS = 30;

/** The simulated checks of the site, by name. */
const CHECKS_BY_NAME: Readonly<Record<string, DemoCheck>> = {
  uplink: { roles: ['switch'], find: uplinkResult, attributes: { aggregates: ['network'] } },
  ping: {
    roles: HOST_ROLES,
    find: pingResult,
    // The filter `check_dependencies` uses this attribute: events of hosts behind a failed switch are not notified.
    attributesOf: ({ rack }) => ({ dependencies: [`${switchOf(rack)}/uplink`] }),
  },
  disk: { roles: HOST_ROLES, find: diskResult },
  load: { roles: HOST_ROLES, find: loadResult, attributes: FLAP_THRESHOLDS },
  http: { roles: ['web'], find: httpResult, attributes: { aggregates: ['shop'] } },
  certificate: { roles: ['web'], find: certificateResult },
  replication: { roles: ['db'], find: replicationResult, attributes: { aggregates: ['databases'] } },
  backup: { roles: ['db', 'storage'], find: backupResult, attributes: { handlers: ['on-call', 'storage-page'] } },
};

/**
 * Returns the definitions for the backend. The checks are not published, because the site submits their results itself.
 *
 * @param folder directory in which the handlers write their output
 */
export function demoDefinitions(folder: string): object {
  const checks = Object.entries(CHECKS_BY_NAME).map(([name, { roles, attributes }]) => [
    name,
    {
      command: `check-${name}`,
      subscribers: roles,
      interval: CHECK_INTERVAL_SECONDS,
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
    // Some backups fail all the time, so an escalation is always in progress.
    'storage-page': {
      type: 'escalation',
      severities: ['critical'],
      steps: [
        { notify: ['first-line'] },
        { after: '3m', notify: ['second-line'] },
        { after: '15m', notify: ['first-line', 'second-line'], repeat: '15m' },
      ],
    },
    'first-line': { type: 'pipe', command: `cat >> ${folder}/first-line.jsonl` },
    'second-line': { type: 'pipe', command: `cat >> ${folder}/second-line.jsonl` },
  };
  // When the switch of a rack is down, only the event of the switch is notified.
  const inhibitions = { 'rack-dark': { source: 'check=uplink', target: 'check!=uplink', equal: ['client.rack'] } };
  return { checks: Object.fromEntries(checks) as object, handlers, inhibitions };
}

interface WatchedCheck {
  readonly machine: Machine;
  readonly name: string;
  readonly check: DemoCheck;
}

/** The checks of all machines, indexed by the second of the interval in which each check is due. */
const CHECKS_BY_SECOND: readonly (readonly WatchedCheck[])[] = groupChecksBySecond();

function groupChecksBySecond(): WatchedCheck[][] {
  const seconds = Array.from({ length: CHECK_INTERVAL_SECONDS }, (): WatchedCheck[] => []);
  for (const machine of ALL_MACHINES) {
    for (const [name, check] of Object.entries(CHECKS_BY_NAME)) {
      if (!check.roles.includes(machine.role)) continue;
      seconds[Math.floor(pseudoRandom('due', machine.at, name) * CHECK_INTERVAL_SECONDS)]?.push({
        machine,
        name,
        check,
      });
    }
  }
  return seconds;
}

/** Seconds between two recorded values of the checks of all web servers, of which there are many. */
const HTTP_STEP = 1800;

/** Number of machines of which one has recorded values of the last day. */
const RECORDED_EVERY = 25;

/**
 * Returns results of the time before the replayed ones, so that the values of some checks can be plotted: all checks of
 * a few machines, and all checks that often fail. They are OK, because they only record values.
 *
 * @param second seconds since the site began; negative
 * @param executed the same moment in epoch seconds
 */
export function recordedResults(second: number, executed: number): SubmittedResult[] {
  return CHECKS_BY_SECOND.flat().flatMap(({ machine, name, check }) => {
    const { output } = check.find(machine, second);
    const isRecorded =
      machine.at % RECORDED_EVERY === 0 ||
      machine.role === 'switch' ||
      (name === 'http' && second % HTTP_STEP === 0) ||
      isTroubled(machine, name);
    if (!isRecorded || !output.includes('|')) return [];
    const text = `OK: recorded before the demonstration ${output.slice(output.indexOf('|'))}`;
    return {
      source: machine.name,
      name,
      status: 0,
      output: text,
      executed,
      issued: executed,
      duration: durationOf(machine, second),
    };
  });
}

function durationOf(machine: Machine, second: number): number {
  const usual = 0.02 + 0.2 * pseudoRandom('duration', machine.at);
  return Number((usual * (0.8 + 0.6 * loadLevel(machine, second))).toFixed(3));
}

/**
 * Returns the results that are due in one second.
 *
 * @param second seconds since the site began; negative before that
 * @param executed the same moment in epoch seconds
 */
export function resultsDue(second: number, executed: number): SubmittedResult[] {
  const due =
    CHECKS_BY_SECOND[((second % CHECK_INTERVAL_SECONDS) + CHECK_INTERVAL_SECONDS) % CHECK_INTERVAL_SECONDS] ?? [];
  return due.map(({ machine, name, check }) => {
    const result: SubmittedResult = {
      source: machine.name,
      name,
      ...check.find(machine, second),
      executed,
      issued: executed,
      duration: durationOf(machine, second),
      interval: CHECK_INTERVAL_SECONDS,
      command: `check-${name}`,
      handlers: ['on-call'],
    };
    return Object.assign(result, check.attributes, check.attributesOf?.(machine));
  });
}
