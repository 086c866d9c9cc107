import type { Client } from '../../shared/schemas/client.ts';
import type { EventCheck } from '../../shared/schemas/event.ts';
import type { HandledEvent, HandlerJob } from '../../shared/schemas/handler-job.ts';

interface EventParts extends Partial<Omit<HandledEvent, 'client' | 'check'>> {
  readonly client?: Partial<Client>;
  readonly check?: Partial<EventCheck>;
}

/** Returns an event as handlers get it, with overrides: the check `disk` on the client `web-1` is critical. */
export function anEvent({ check, client, ...rest }: EventParts = {}): HandledEvent {
  return {
    id: '4f5b1d6e-8a36-4a0e-9d3c-0d8a3a1c9b11',
    client: {
      name: 'web-1',
      address: '192.0.2.1',
      subscriptions: ['web', 'client:web-1'],
      timestamp: 1_767_225_590,
      version: '1.9.0',
      keepalives: true,
      ...client,
    },
    check: {
      name: 'disk',
      output: 'CRITICAL: / is full\n',
      status: 2,
      issued: 1_767_225_600,
      executed: 1_767_225_600,
      type: 'standard',
      history: ['0', '2'],
      total_state_change: 0,
      ...check,
    },
    occurrences: 1,
    occurrences_watermark: 1,
    last_ok: 1_767_225_540,
    action: 'create',
    timestamp: 1_767_225_600,
    last_state_change: 1_767_225_600,
    silenced: false,
    silenced_by: [],
    ...rest,
  };
}

/** Returns a job for the handler `mail` with the event of `anEvent`, with overrides. */
export function aJob(about: Partial<HandlerJob> = {}): HandlerJob {
  return {
    id: 7,
    namespace: 'default',
    client: 'web-1',
    check: 'disk',
    handler: 'mail',
    queued_at: 1_767_225_600_000,
    event: anEvent(),
    ...about,
  };
}
