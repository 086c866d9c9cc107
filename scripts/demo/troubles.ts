import { rackName, switchOf, type Machine } from './machines.ts';

/**
 * The simulated problems of the demonstration, as functions of the seconds since its start. Problems start, overlap and
 * end without intervention. Each second has the same problems in every run.
 */

/** The status and output of a simulated check. */
export interface DemoResult {
  readonly status: number;
  readonly output: string;
}

const okResult = (output: string): DemoResult => ({ status: 0, output: `OK: ${output}` });
const warningResult = (output: string): DemoResult => ({ status: 1, output: `WARNING: ${output}` });
const criticalResult = (output: string): DemoResult => ({ status: 2, output: `CRITICAL: ${output}` });

/** Adds performance data in the format of Nagios plugins to the output of a result. */
function addPerformanceData({ status, output }: DemoResult, performanceData: string): DemoResult {
  return { status, output: `${output} | ${performanceData}` };
}

const DAY_SECONDS = 86_400;

/** Returns how busy a machine is, from 0 to 1: it follows the hours of a day, a little different for each machine. */
export function loadLevel(machine: Machine, second: number): number {
  const phase = second / DAY_SECONDS + 0.1 * pseudoRandom('phase of day', machine.at);
  const noise = pseudoRandom('busy', machine.at, second) - 0.5;
  return Math.max(0, Math.min(1, 0.5 + 0.4 * Math.sin(2 * Math.PI * phase) + 0.2 * noise));
}

/** Returns a pseudo-random number of at least 0 and less than 1; it is always the same for the same arguments. */
export function pseudoRandom(...things: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const character of things.join('/')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A recurring time window: every `everySeconds`, starting at `fromSeconds`, for `forSeconds`. */
interface RecurringWindow {
  readonly everySeconds: number;
  readonly fromSeconds: number;
  readonly forSeconds: number;
}

/**
 * The recurring outage of a switch with all its hosts. The first outage starts early, so that a new user soon sees a
 * storm of events.
 */
const OUTAGE_WINDOW: RecurringWindow = { everySeconds: 420, fromSeconds: 45, forSeconds: 110 };
/** The recurring release that breaks some of the web servers until it is reverted. */
const RELEASE_WINDOW: RecurringWindow = { everySeconds: 900, fromSeconds: 240, forSeconds: 180 };

/** Returns the number of the window's current repetition, from 0; `undefined` outside of the window. */
function roundOf(window: RecurringWindow, second: number): number | undefined {
  const round = Math.floor(second / window.everySeconds);
  const inRound = second - round * window.everySeconds - window.fromSeconds;
  return inRound >= 0 && inRound < window.forSeconds ? round : undefined;
}

/** Returns the name of the rack without network in this second; `undefined` if there is none. */
export function rackWithoutNetwork(second: number): string | undefined {
  const round = roundOf(OUTAGE_WINDOW, second);
  return round === undefined ? undefined : rackName(Math.floor(pseudoRandom('outage', round) * 40));
}

export function uplinkResult(machine: Machine, second: number): DemoResult {
  if (rackWithoutNetwork(second) === machine.rack)
    return addPerformanceData(criticalResult('uplink te1/1/1 is down, 49 ports behind it'), 'rate=0Gbit/s;8;9.5;0;10');
  const rate = (1 + 6 * loadLevel(machine, second)).toFixed(1);
  return addPerformanceData(okResult(`uplink te1/1/1 is up, ${rate} Gbit/s`), `rate=${rate}Gbit/s;8;9.5;0;10`);
}

/** Seconds from the outage of a switch until the pings to the hosts behind it fail. */
const PING_FAILURE_DELAY = 30;

export function pingResult(machine: Machine, second: number): DemoResult {
  if (rackWithoutNetwork(second - PING_FAILURE_DELAY) === machine.rack) {
    const result = criticalResult(`no answer in 5 s, 100% packet loss (behind ${switchOf(machine.rack)})`);
    return addPerformanceData(result, 'pl=100%;20;60;0;100');
  }
  const ms = (0.2 + loadLevel(machine, second)).toFixed(2);
  return addPerformanceData(okResult(`${ms} ms`), `rta=${ms}ms;20;100;0; pl=0%;20;60;0;100`);
}

export function httpResult(machine: Machine, second: number): DemoResult {
  const release = roundOf(RELEASE_WINDOW, second);
  if (release !== undefined && pseudoRandom('release', release, machine.at) < 0.35) {
    return criticalResult('HTTP 502 from / in 0.031 s, expected 200 (release 2026.11-rc2)');
  }
  const seconds = (0.05 + 0.3 * loadLevel(machine, second)).toFixed(3);
  return addPerformanceData(okResult(`HTTP 200 from / in ${seconds} s`), `time=${seconds}s;0.5;1;0;5 size=48213B;;;0;`);
}

/** True if the check of this machine often fails. */
export function isTroubled({ at }: Machine, check: string): boolean {
  const share = TROUBLED_SHARES[check];
  return share !== undefined && pseudoRandom(share.reason, at) < share.below;
}

const TROUBLED_SHARES: Readonly<Record<string, { readonly reason: string; readonly below: number }>> = {
  disk: { reason: 'filling', below: 0.03 },
  load: { reason: 'restless', below: 0.004 },
  replication: { reason: 'slow', below: 0.05 },
};

/** Seconds in which a disk fills from 70 % to 99 %, before it is cleaned up. */
const FILLING_SECONDS = 1800;

export function diskResult(machine: Machine, second: number): DemoResult {
  const isFilling = isTroubled(machine, 'disk');
  const phase = Math.floor(pseudoRandom('phase', machine.at) * FILLING_SECONDS);
  const percent = isFilling
    ? 70 +
      Math.floor((29 * ((((second + phase) % FILLING_SECONDS) + FILLING_SECONDS) % FILLING_SECONDS)) / FILLING_SECONDS)
    : 30 + Math.floor(45 * pseudoRandom('disk', machine.at));
  const output = `/ is ${String(percent)}% full`;
  const result = percent >= 95 ? criticalResult(output) : percent >= 88 ? warningResult(output) : okResult(output);
  return addPerformanceData(result, `/=${String(percent)}%;88;95;0;100`);
}

/** Returns the result of the load check; a few machines are flapping. */
export function loadResult(machine: Machine, second: number): DemoResult {
  const isRestless = isTroubled(machine, 'load');
  const value = isRestless && pseudoRandom('load', machine.at, second) < 0.5 ? 9.4 : 4 * loadLevel(machine, second);
  const output = `load average ${value.toFixed(2)} on 8 cores`;
  return addPerformanceData(value > 8 ? warningResult(output) : okResult(output), `load1=${value.toFixed(2)};8;16;0;`);
}

export function certificateResult(machine: Machine): DemoResult {
  const days = Math.floor(400 * pseudoRandom('certificate', machine.at));
  const output = `certificate of ${machine.name}.example.com ends in ${String(days)} days`;
  if (days < 2) return criticalResult(output);
  return days < 10 ? warningResult(output) : okResult(output);
}

export function replicationResult(machine: Machine, second: number): DemoResult {
  const isSlow = isTroubled(machine, 'replication');
  const lag = Math.max(
    0,
    Math.round(isSlow ? 90 * Math.sin(second / 180 + machine.at) : 2 * pseudoRandom(machine.at, second)),
  );
  const output = `replica is ${String(lag)} s behind`;
  const result = lag > 75 ? criticalResult(output) : lag > 30 ? warningResult(output) : okResult(output);
  return addPerformanceData(result, `lag=${String(lag)}s;30;75;0;`);
}

export const backupResult = (machine: Machine): DemoResult =>
  pseudoRandom('backup', machine.at) < 0.02
    ? criticalResult('last good backup is 3 days old: no space left on backup-1\ntar: /var/lib/db: write error')
    : okResult('42.1 GiB in 312 s');
