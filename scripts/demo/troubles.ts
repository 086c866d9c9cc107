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

const ok = (output: string): DemoResult => ({ status: 0, output: `OK: ${output}` });
const warning = (output: string): DemoResult => ({ status: 1, output: `WARNING: ${output}` });
const critical = (output: string): DemoResult => ({ status: 2, output: `CRITICAL: ${output}` });

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
interface Window {
  readonly everySeconds: number;
  readonly fromSeconds: number;
  readonly forSeconds: number;
}

/**
 * The recurring outage of a switch with all its hosts. The first outage starts early, so that a new user soon sees a
 * storm of events.
 */
const OUTAGE: Window = { everySeconds: 420, fromSeconds: 45, forSeconds: 110 };
/** The recurring release that breaks some of the web servers until it is reverted. */
const RELEASE: Window = { everySeconds: 900, fromSeconds: 240, forSeconds: 180 };

/** Returns the number of the window's current repetition, from 0; `undefined` outside of the window. */
function roundOf(window: Window, second: number): number | undefined {
  const round = Math.floor(second / window.everySeconds);
  const inRound = second - round * window.everySeconds - window.fromSeconds;
  return inRound >= 0 && inRound < window.forSeconds ? round : undefined;
}

/** Returns the name of the rack without network in this second; `undefined` if there is none. */
export function rackWithoutNetwork(second: number): string | undefined {
  const round = roundOf(OUTAGE, second);
  return round === undefined ? undefined : rackName(Math.floor(pseudoRandom('outage', round) * 40));
}

export const uplink = (machine: Machine, second: number): DemoResult =>
  rackWithoutNetwork(second) === machine.rack
    ? critical('uplink te1/1/1 is down, 49 ports behind it')
    : ok(`uplink te1/1/1 is up, ${(2 + 3 * pseudoRandom(machine.at, second)).toFixed(1)} Gbit/s`);

/** Seconds from the outage of a switch until the pings to the hosts behind it fail. */
const PING_FAILURE_DELAY = 30;

export const ping = (machine: Machine, second: number): DemoResult =>
  rackWithoutNetwork(second - PING_FAILURE_DELAY) === machine.rack
    ? critical(`no answer in 5 s, 100% packet loss (behind ${switchOf(machine.rack)})`)
    : ok(`${(0.2 + pseudoRandom(machine.at, second)).toFixed(2)} ms`);

export function http(machine: Machine, second: number): DemoResult {
  const release = roundOf(RELEASE, second);
  if (release !== undefined && pseudoRandom('release', release, machine.at) < 0.35) {
    return critical('HTTP 502 from / in 0.031 s, expected 200 (release 2026.11-rc2)');
  }
  const seconds = 0.05 + 0.2 * pseudoRandom('http', machine.at, second);
  return ok(`HTTP 200 from / in ${seconds.toFixed(3)} s`);
}

/** Seconds in which a disk fills from 70 % to 99 %, before it is cleaned up. */
const FILLING = 1800;

export function disk(machine: Machine, second: number): DemoResult {
  const isFilling = pseudoRandom('filling', machine.at) < 0.03;
  const phase = Math.floor(pseudoRandom('phase', machine.at) * FILLING);
  const percent = isFilling
    ? 70 + Math.floor((29 * ((second + phase + FILLING) % FILLING)) / FILLING)
    : 30 + Math.floor(45 * pseudoRandom('disk', machine.at));
  const output = `/ is ${String(percent)}% full`;
  if (percent >= 95) return critical(output);
  return percent >= 88 ? warning(output) : ok(output);
}

/** Returns the result of the load check; a few machines are flapping. */
export function load(machine: Machine, second: number): DemoResult {
  const isRestless = pseudoRandom('restless', machine.at) < 0.004;
  const value =
    isRestless && pseudoRandom('load', machine.at, second) < 0.5 ? 9.4 : 2 * pseudoRandom('load', machine.at, second);
  const output = `load average ${value.toFixed(2)} on 8 cores`;
  return value > 8 ? warning(output) : ok(output);
}

export function certificate(machine: Machine): DemoResult {
  const days = Math.floor(400 * pseudoRandom('certificate', machine.at));
  const output = `certificate of ${machine.name}.example.com ends in ${String(days)} days`;
  if (days < 2) return critical(output);
  return days < 10 ? warning(output) : ok(output);
}

export function replication(machine: Machine, second: number): DemoResult {
  const isSlow = pseudoRandom('slow', machine.at) < 0.05;
  const lag = Math.max(
    0,
    Math.round(isSlow ? 90 * Math.sin(second / 180 + machine.at) : 2 * pseudoRandom(machine.at, second)),
  );
  const output = `replica is ${String(lag)} s behind`;
  if (lag > 75) return critical(output);
  return lag > 30 ? warning(output) : ok(output);
}

export const backup = (machine: Machine): DemoResult =>
  pseudoRandom('backup', machine.at) < 0.02
    ? critical('last good backup is 3 days old: no space left on backup-1\ntar: /var/lib/db: write error')
    : ok('42.1 GiB in 312 s');
