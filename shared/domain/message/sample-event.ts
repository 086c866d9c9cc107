import type { HandledEvent } from '../../schemas/handler-job.ts';

/** Returns the event that is sent when an operator tests a handler. Its texts say that it is not a real event. */
export function sampleEvent(
  handler: string,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): HandledEvent {
  const now = Math.floor(nowMs / 1000);
  return {
    id,
    client: {
      name: 'mon-test',
      address: '192.0.2.1',
      subscriptions: ['client:mon-test'],
      timestamp: now,
      version: '1.0.0',
      keepalives: false,
    },
    check: {
      name: 'handler-test',
      output: `This is a test of the handler ${handler}: nothing is wrong.`,
      status: 1,
      issued: now,
      executed: now,
      type: 'standard',
      history: ['0', '1'],
      total_state_change: 0,
    },
    occurrences: 1,
    occurrences_watermark: 1,
    last_ok: now,
    action: 'create',
    timestamp: now,
    last_state_change: now,
    silenced: false,
    silenced_by: [],
  };
}
