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
  /** 0, 1 or 2. It is never unknown (3), because the age of the last keepalive is known. */
  readonly status: 0 | 1 | 2;
  readonly output: string;
  readonly thresholds: KeepaliveThresholds;
}

/** A client, or only the attributes on which its keepalive status depends. */
type KeepaliveClient = Client | KeepaliveRecord;

interface KeepaliveRecord {
  /** Time of the last keepalive, in epoch seconds. */
  readonly timestamp: number;
  readonly keepalive?: unknown;
}

/** Inputs for a keepalive status in addition to the attributes of the client. */
interface KeepaliveSettings {
  /** Thresholds for clients that define none; by default those of Sensu Core. */
  readonly thresholds?: KeepaliveThresholds;
  /** Tokens without a value in the `keepalive` attributes of the client. */
  readonly unmatched?: readonly string[];
}

/**
 * Returns the keepalive status of a client. Thresholds that the client does not define are taken from `thresholds`
 * (completion 1.10; texts: legacy-peer, Keepalive and TTL). If tokens have no value, the output names them, and the
 * status is at least warning.
 *
 * @param now epoch seconds; a keepalive with a time in the future has the age 0
 */
export function keepaliveStatus(
  client: KeepaliveClient,
  now: number,
  { thresholds = KEEPALIVE_THRESHOLDS, unmatched = [] }: KeepaliveSettings = {},
): KeepaliveStatus {
  return addUnmatchedTokens(
    statusByAge(Math.max(0, now - client.timestamp), thresholdsOf(client, thresholds)),
    unmatched,
  );
}

/**
 * Adds the tokens without a value to the output of a keepalive status, and raises the status to at least warning. If
 * there are no such tokens, the status is returned unchanged.
 */
export function addUnmatchedTokens<S extends Pick<KeepaliveStatus, 'status' | 'output'>>(
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
 * Returns the attributes in `keepalive` of a client, such as `handlers` and `refresh`. They are copied to its keepalive
 * results. The object is empty if the client has none.
 */
export function keepaliveOf(client: Client | Pick<KeepaliveRecord, 'keepalive'>): Readonly<Record<string, unknown>> {
  const keepalive = client['keepalive'];
  return typeof keepalive === 'object' && keepalive !== null ? (keepalive as Record<string, unknown>) : {};
}
