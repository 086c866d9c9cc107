import { KEEPALIVE_THRESHOLDS } from '../../schemas/keepalive.ts';
import type { SubmittedV2Event } from '../../schemas/v2/event.ts';
import { keepaliveOf, withUnmatched, type KeepaliveStatus } from '../keepalive.ts';

const AGENT_CLASS = 'agent';

/** Seconds between keepalives of agents that do not say it. */
const INTERVAL_SECONDS = 20;

/** Seconds of silence before a status changes. */
export interface AgentThresholds {
  readonly warning: number;
  /** Absent: however long the silence lasts, it is a warning. */
  readonly critical?: number;
}

/** An agent of the newer generation, and what is known of its silence. */
interface KnownAgent {
  readonly name: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly keepalive?: unknown;
}

/**
 * What an agent of the newer generation says about its silence, in the words of its keepalives (clients 6), which
 * its keepalive events have too: `timeout` is a warning and `ttl` critical, 0 never.
 */
export function saidOfSilence({ check }: SubmittedV2Event): {
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

/** Whether a client is an agent of the newer generation that has said when its silence counts. */
export function saysWhenSilent(client: Readonly<Record<string, unknown>>): boolean {
  const { keepalives, entity_class: entityClass, keepalive } = client;
  return keepalives !== false && entityClass === AGENT_CLASS && agentThresholds({ keepalive }) !== undefined;
}

/** @returns undefined: the client is none of the newer generation */
export function agentThresholds(client: Pick<KnownAgent, 'keepalive'>): AgentThresholds | undefined {
  const { timeout, ttl } = keepaliveOf(client);
  if (typeof timeout !== 'number' || typeof ttl !== 'number') return undefined;
  return { warning: timeout, ...(ttl > 0 ? { critical: Math.max(timeout, ttl) } : {}) };
}

/**
 * The state of an agent of the newer generation, in the words of its peer (recorded of it).
 *
 * @param now epoch seconds; an agent whose clock runs ahead counts as fresh
 * @param unmatched tokens in the keepalive attributes that have no value
 */
export function agentKeepaliveStatus(
  agent: KnownAgent,
  now: number,
  unmatched: readonly string[] = [],
): Pick<KeepaliveStatus, 'status' | 'output'> {
  const age = ageOf(agent, now);
  const status = statusByAge(agent, age);
  return withUnmatched({ status, output: outputOf(agent, age, status) }, unmatched);
}

/**
 * Whether the silence of an agent of the newer generation is to be told now: as soon as a threshold is passed, then every
 * `timeout` seconds. That it is alive is told by each of its keepalives.
 *
 * @param last the last keepalive result, with its time in epoch seconds; undefined: there is none
 * @param now epoch seconds
 */
export function isSilenceDue(
  agent: KnownAgent,
  last: { readonly executed: number; readonly status: number } | undefined,
  now: number,
): boolean {
  const status = statusByAge(agent, ageOf(agent, now));
  if (status === 0) return false;
  return status !== last?.status || now - last.executed >= (agentThresholds(agent)?.warning ?? 0);
}

function ageOf({ timestamp }: KnownAgent, now: number): number {
  return Math.max(0, now - timestamp);
}

/** Apart from its words, because it is asked for every agent once a second. */
function statusByAge(agent: KnownAgent, age: number): KeepaliveStatus['status'] {
  const { warning = Infinity, critical = Infinity } = agentThresholds(agent) ?? {};
  if (age >= critical) return 2;
  return age >= warning ? 1 : 0;
}

function outputOf(agent: KnownAgent, age: number, status: KeepaliveStatus['status']): string {
  if (status === 0) return `Keepalive last sent from ${agent.name} at ${moment(agent.timestamp)}`;
  const { warning, critical } = agentThresholds(agent) ?? {};
  const threshold = status === 2 ? critical : warning;
  return `No keepalive sent from ${agent.name} for ${String(age)} seconds (>= ${String(threshold)})`;
}

/** Farthest that a date can be from 1970. */
const SECONDS_OF_DATE_MAX = 8_640_000_000_000;

/** `2026-11-22 16:49:42 +0000 UTC`; what is no date as it is, since an agent may say anything. */
function moment(seconds: number): string {
  if (Math.abs(seconds) > SECONDS_OF_DATE_MAX) return String(seconds);
  return new Date(seconds * 1000).toISOString().replace(/^(.+)T(.+)\.\d+Z$/, '$1 $2 +0000 UTC');
}
