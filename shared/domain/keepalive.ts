import type { Client } from '../schemas/client.ts';
import { KEEPALIVE_THRESHOLDS } from '../schemas/keepalive.ts';
import { unmatchedText } from './tokens.ts';

/** The name of the check whose results represent keepalives (completion 1.10). */
export const KEEPALIVE_CHECK = 'keepalive';

/** Seconds without a keepalive before the status changes. */
export interface KeepaliveThresholds {
  readonly warning: number;
  readonly critical: number;
}

/** The status that follows from the age of a client's last keepalive. */
export interface KeepaliveStatus {
  /** Never unknown, because a missing keepalive is a known fact. */
  readonly status: 0 | 1 | 2;
  readonly output: string;
  readonly thresholds: KeepaliveThresholds;
}

/** A client, or the attributes of one that matter here. */
type KeepaliveClient = Client | KeepaliveRecord;

interface KeepaliveRecord {
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly keepalive?: unknown;
}

/** Settings for attributes that a client does not define itself. */
interface KeepaliveSettings {
  /** Thresholds for clients without their own; by default those of the peer. */
  readonly thresholds?: KeepaliveThresholds;
  /** Tokens in the keepalive attributes of the client that have no value. */
  readonly unmatched?: readonly string[];
}

/**
 * Returns the keepalive status of a client, by its own thresholds or the given ones (completion 1.10; texts:
 * legacy-peer, Keepalive and TTL). Tokens without a value are reported, with at least a warning.
 *
 * @param now epoch seconds; a client whose clock is ahead counts as fresh
 */
export function keepaliveStatus(
  client: KeepaliveClient,
  now: number,
  { thresholds = KEEPALIVE_THRESHOLDS, unmatched = [] }: KeepaliveSettings = {},
): KeepaliveStatus {
  return withUnmatched(statusByAge(Math.max(0, now - client.timestamp), thresholdsOf(client, thresholds)), unmatched);
}

/** Adds the tokens that have no value, and raises the status to at least a warning. */
export function withUnmatched<S extends Pick<KeepaliveStatus, 'status' | 'output'>>(
  keepalive: S,
  unmatched: readonly string[],
): S {
  if (unmatched.length === 0) return keepalive;
  const { status, output } = keepalive;
  return { ...keepalive, status: status === 0 ? 1 : status, output: `${output} - ${unmatchedText(unmatched)}` };
}

function statusByAge(age: number, thresholds: KeepaliveThresholds): KeepaliveStatus {
  const missed = (threshold: number): string =>
    `No keepalive sent from client for ${String(age)} seconds (>=${String(threshold)})`;
  if (age >= thresholds.critical) return { status: 2, output: missed(thresholds.critical), thresholds };
  if (age >= thresholds.warning) return { status: 1, output: missed(thresholds.warning), thresholds };
  return { status: 0, output: `Keepalive sent from client ${String(age)} seconds ago`, thresholds };
}

function thresholdsOf(client: KeepaliveClient, others: KeepaliveThresholds): KeepaliveThresholds {
  const own = keepaliveOf(client)['thresholds'] as Partial<Record<'warning' | 'critical', number | null>> | undefined;
  return { warning: own?.warning ?? others.warning, critical: own?.critical ?? others.critical };
}

/**
 * Returns the `keepalive` attributes of a client, which its keepalive results take over: handlers, refresh and any
 * other.
 */
export function keepaliveOf(client: Client | Pick<KeepaliveRecord, 'keepalive'>): Readonly<Record<string, unknown>> {
  const keepalive = client['keepalive'];
  return typeof keepalive === 'object' && keepalive !== null ? (keepalive as Record<string, unknown>) : {};
}
