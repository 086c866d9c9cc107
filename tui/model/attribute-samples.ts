import { attributeNamesOf, attributeValuesOf, parseAttributeColumn } from '../../shared/domain/event-attributes.ts';
import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import type { EventRegistry } from './event-registry.ts';
import type { LiveData } from './live-data.ts';

/** Time for which the samples are reused. Completion asks for them at each key. */
const REUSED_MS = 2000;

interface AttributeSamples {
  readonly atMs: number;
  readonly rows: readonly EventRow[];
}

const samplesOf = new WeakMap<EventRegistry, AttributeSamples>();

/** Returns the names of the attributes that the clients and checks of the events have, as columns are named. */
export function sampledAttributes(store: Pick<LiveData, 'events' | 'nowMs'>): readonly string[] {
  return attributeNamesOf(sampleRows(store)).filter((name) => typeof parseAttributeColumn(name) !== 'string');
}

/** Returns values of an attribute that the events have, at most `most`. */
export function sampledValues(
  store: Pick<LiveData, 'events' | 'nowMs'>,
  name: string,
  most: number,
): readonly string[] {
  return attributeValuesOf(sampleRows(store), name, most);
}

/**
 * Returns one event for each set of attributes. A hundred thousand events have far fewer sets, so the samples are
 * searched much faster than the events.
 */
function sampleRows({ events, nowMs }: Pick<LiveData, 'events' | 'nowMs'>): readonly EventRow[] {
  const earlier = samplesOf.get(events);
  if (earlier !== undefined && earlier.rows.length > 0 && Math.abs(nowMs - earlier.atMs) < REUSED_MS)
    return earlier.rows;
  const seen = new Set<unknown>([undefined]);
  const rows: EventRow[] = [];
  for (const { row } of events.records()) {
    const { [CLIENT_ATTRIBUTES]: ofClient, [CHECK_ATTRIBUTES]: ofCheck } = row;
    if (seen.has(ofClient) && seen.has(ofCheck)) continue;
    seen.add(ofClient).add(ofCheck);
    rows.push(row);
  }
  samplesOf.set(events, { atMs: nowMs, rows });
  return rows;
}
