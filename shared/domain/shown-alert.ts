import type { AlertSettings, LabelSet, ShownAlert } from '../schemas/alert.ts';
import type { Event } from '../schemas/event.ts';
import { labelsOfEvent } from './alert-labels.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isSettings } from './merge-settings.ts';

/** Name of the only receiver in the Alertmanager API. */
export const ALERT_RECEIVER = 'mon';

/**
 * The Alertmanager version that the API reports. Clients compare it with their own version (amtool) or with a list of
 * versions (karma), so it is one that all of them accept. The version of mon itself is in the metric `mon_build_info`.
 */
export const ALERTMANAGER_VERSION = '0.25.0';

/**
 * Returns an open event in the format of the Alertmanager API. An event that was submitted as an alert has the labels
 * of that alert. Other events get labels for client, check and severity.
 *
 * @param inhibitor fingerprint of the alert that inhibits this one; undefined if it is not inhibited
 */
export function shownAlert(event: Event, settings: AlertSettings, inhibitor?: string): ShownAlert {
  const { check, silenced, silenced_by: silencedBy, timestamp, last_state_change: since } = event;
  const alert = isSettings(check['alert']) ? check['alert'] : undefined;
  const labels = labelsOfEvent(event.client.name, check, settings);
  const startsAt = typeof alert?.['starts_at'] === 'number' ? alert['starts_at'] : (since ?? timestamp);
  const ttl = typeof check['ttl'] === 'number' ? check['ttl'] : settings['resolve-timeout'];
  const url = alert?.['generator_url'];
  return {
    labels,
    annotations: annotationsOf(event, alert !== undefined),
    startsAt: isoTime(startsAt),
    endsAt: isoTime(check.executed + ttl),
    updatedAt: isoTime(timestamp),
    fingerprint: fingerprintOf(labels),
    ...(typeof url === 'string' ? { generatorURL: url } : {}),
    receivers: [{ name: ALERT_RECEIVER }],
    status: {
      state: silenced || inhibitor !== undefined ? 'suppressed' : 'active',
      silencedBy: [...silencedBy],
      inhibitedBy: inhibitor === undefined ? [] : [inhibitor],
    },
  };
}

function annotationsOf({ check }: Event, isAlert: boolean): LabelSet {
  const metadata = isSettings(check['metadata']) ? check['metadata'] : {};
  const own = textsOf(metadata['annotations']);
  return isAlert ? own : { ...own, summary: check.output };
}

function textsOf(value: unknown): LabelSet {
  if (!isSettings(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : [])),
  );
}

/**
 * Formats a time as ISO 8601.
 *
 * @param seconds epoch seconds; a time out of the range of dates becomes 1970
 */
function isoTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}
