import { KEEPALIVE_THRESHOLDS, type Client } from '../schemas/client.ts';

/** The name under which signs of life are results (completion 1.10). */
export const KEEPALIVE_CHECK = 'keepalive';

/** What the backend concludes from the age of a client's last sign of life. */
export interface KeepaliveStatus {
  /** Never unknown, because silence is a known fact. */
  readonly status: 0 | 1 | 2;
  readonly output: string;
  readonly thresholds: { readonly warning: number; readonly critical: number };
}

/**
 * The state of a client, with its own thresholds or the default ones (completion 1.10; texts: legacy-peer, Keepalive).
 *
 * @param now epoch seconds; a client whose clock runs ahead counts as fresh
 */
export function keepaliveStatus(client: Client, now: number): KeepaliveStatus {
  const age = Math.max(0, now - client.timestamp);
  const thresholds = thresholdsOf(client);
  const missed = (threshold: number): string =>
    `No keepalive sent from client for ${String(age)} seconds (>=${String(threshold)})`;
  if (age >= thresholds.critical) return { status: 2, output: missed(thresholds.critical), thresholds };
  if (age >= thresholds.warning) return { status: 1, output: missed(thresholds.warning), thresholds };
  return { status: 0, output: `Keepalive sent from client ${String(age)} seconds ago`, thresholds };
}

function thresholdsOf(client: Client): { warning: number; critical: number } {
  const own = keepaliveOf(client)['thresholds'] as Partial<Record<'warning' | 'critical', number | null>> | undefined;
  return {
    warning: own?.warning ?? KEEPALIVE_THRESHOLDS.warning,
    critical: own?.critical ?? KEEPALIVE_THRESHOLDS.critical,
  };
}

/** The `keepalive` attributes of a client, which its keepalive results take over: handlers, refresh and any other. */
export function keepaliveOf(client: Client): Readonly<Record<string, unknown>> {
  const keepalive = client['keepalive'];
  return typeof keepalive === 'object' && keepalive !== null ? (keepalive as Record<string, unknown>) : {};
}
