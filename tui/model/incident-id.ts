/** The events of an incident, and the time from which their history is shown. */
export interface IncidentEvents {
  /** Start of the shown time, in epoch milliseconds. */
  readonly sinceMs: number;
  /** The keys of the events. */
  readonly keys: readonly string[];
}

/** Maximum number of events in an incident. The history of each is one request. */
export const INCIDENT_EVENTS_MAX = 40;

/** Returns the id of an incident: its start and the keys of its events, which contain no line break. */
export function incidentId({ sinceMs, keys }: IncidentEvents): string {
  return [String(sinceMs), ...keys].join('\n');
}

export function parseIncidentId(id: string): IncidentEvents {
  const [since = '', ...keys] = id.split('\n');
  return { sinceMs: Number(since), keys };
}
