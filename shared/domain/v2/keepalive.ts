import { KEEPALIVE_THRESHOLDS } from '../../schemas/keepalive.ts';
import type { SubmittedV2Event } from '../../schemas/v2/event.ts';
import { keepaliveOf, addUnmatchedTokens, type KeepaliveStatus } from '../keepalive.ts';

const AGENT_CLASS = 'agent';

/** Default interval of keepalives of a Sensu Go agent, in seconds. */
const INTERVAL_SECONDS = 20;

/** Seconds without a keepalive after which the status of a Sensu Go agent changes. */
export interface AgentThresholds {
  readonly warning: number;
  /** Undefined if the status never becomes critical. */
  readonly critical?: number;
}

/** The attributes of a Sensu Go agent from which its keepalive status is computed. */
interface KeepaliveAgent {
  readonly name: string;
  /** Time of the last keepalive in epoch seconds. */
  readonly timestamp: number;
  readonly keepalive?: unknown;
}

/**
 * Returns the keepalive settings that a Sensu Go agent sends in its keepalives (clients 6), in seconds. Without a
 * keepalive, the status is warning after `timeout`, and critical after `ttl`; with the `ttl` 0 it never is critical.
 */
export function sentKeepaliveSettings({ check }: SubmittedV2Event): {
  readonly interval: number;
  readonly timeout: number;
  readonly ttl: number;
} {
  return {
    interval: check?.interval || INTERVAL_SECONDS,
    timeout: check?.timeout || KEEPALIVE_THRESHOLDS.warning,
    ttl: Math.max(0, check?.ttl ?? 0),
  };
}

/** Whether a client is a Sensu Go agent with its own keepalive thresholds. */
export function hasKeepaliveThresholds(client: Readonly<Record<string, unknown>>): boolean {
  const { keepalives, entity_class: entityClass, keepalive } = client;
  return keepalives !== false && entityClass === AGENT_CLASS && agentThresholds({ keepalive }) !== undefined;
}

/** Returns the keepalive thresholds of a Sensu Go agent; undefined if the client is not one. */
export function agentThresholds(client: Pick<KeepaliveAgent, 'keepalive'>): AgentThresholds | undefined {
  const { timeout, ttl } = keepaliveOf(client);
  if (typeof timeout !== 'number' || typeof ttl !== 'number') return undefined;
  return { warning: timeout, ...(ttl > 0 ? { critical: Math.max(timeout, ttl) } : {}) };
}

/**
 * Returns the keepalive status of a Sensu Go agent, with the same output as recorded from Sensu Go.
 *
 * @param now epoch seconds; a keepalive with a time in the future has the age 0
 * @param unmatched tokens in the keepalive attributes that have no value
 */
export function agentKeepaliveStatus(
  agent: KeepaliveAgent,
  now: number,
  unmatched: readonly string[] = [],
): Pick<KeepaliveStatus, 'status' | 'output'> {
  const age = ageOf(agent, now);
  const status = statusByAge(agent, age);
  return addUnmatchedTokens({ status, output: outputOf(agent, age, status) }, unmatched);
}

/**
 * Whether missing keepalives of a Sensu Go agent must be reported now: when a threshold is passed, and then every
 * `timeout` seconds. If the agent sends keepalives again, the next keepalive reports that.
 *
 * @param last the last keepalive result, with its time in epoch seconds; undefined if there is none
 * @param now epoch seconds
 */
export function isMissingKeepaliveDue(
  agent: KeepaliveAgent,
  last: { readonly executed: number; readonly status: number } | undefined,
  now: number,
): boolean {
  const status = statusByAge(agent, ageOf(agent, now));
  if (status === 0) return false;
  return status !== last?.status || now - last.executed >= (agentThresholds(agent)?.warning ?? 0);
}

function ageOf({ timestamp }: KeepaliveAgent, now: number): number {
  return Math.max(0, now - timestamp);
}

/** Returns the status without formatting an output, because this function runs for every agent once a second. */
function statusByAge(agent: KeepaliveAgent, age: number): KeepaliveStatus['status'] {
  const { warning = Infinity, critical = Infinity } = agentThresholds(agent) ?? {};
  if (age >= critical) return 2;
  return age >= warning ? 1 : 0;
}

function outputOf(agent: KeepaliveAgent, age: number, status: KeepaliveStatus['status']): string {
  if (status === 0) return `Keepalive last sent from ${agent.name} at ${formatTime(agent.timestamp)}`;
  const { warning, critical } = agentThresholds(agent) ?? {};
  const threshold = status === 2 ? critical : warning;
  return `No keepalive sent from ${agent.name} for ${String(age)} seconds (>= ${String(threshold)})`;
}

/** Maximum epoch seconds that a JavaScript `Date` can represent. */
const SECONDS_OF_DATE_MAX = 8_640_000_000_000;

/**
 * Formats epoch seconds as `2026-11-22 16:49:42 +0000 UTC`. Numbers out of the range of dates, which agents can send,
 * stay as they are.
 */
function formatTime(seconds: number): string {
  if (Math.abs(seconds) > SECONDS_OF_DATE_MAX) return String(seconds);
  return new Date(seconds * 1000).toISOString().replace(/^(.+)T(.+)\.\d+Z$/, '$1 $2 +0000 UTC');
}
