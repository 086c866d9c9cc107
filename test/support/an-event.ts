import type { Event } from '../../shared/schemas/event.ts';

/** Attributes that override those of `anEvent`. */
export type EventChanges = Partial<Omit<Event, 'check' | 'client'>> & { readonly check?: Record<string, unknown> };

/** Returns a critical event of the check `disk` on the client `web-1`, with overrides. */
export function anEvent({ check, ...changes }: EventChanges = {}): Event {
  return {
    id: '8b1ff6d2',
    client: {
      name: 'web-1',
      address: '10.0.0.9',
      subscriptions: ['web', 'client:web-1'],
      timestamp: 1,
      version: '1.9.0',
      environment: 'production',
    },
    check: {
      name: 'disk',
      output: 'full',
      status: 2,
      executed: 1,
      issued: 1,
      history: ['2'],
      total_state_change: 0,
      ...check,
    },
    occurrences: 1,
    occurrences_watermark: 1,
    last_ok: null,
    action: 'create',
    timestamp: 1,
    silenced: false,
    silenced_by: [],
    ...changes,
  };
}
