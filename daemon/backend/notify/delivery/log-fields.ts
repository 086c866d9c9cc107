import { countGroupEvents } from '../../../../shared/domain/notify/group-document.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';

/** Returns the log fields that identify a run of a handler: its event, or its group and the number of events in it. */
export function jobLogFields({ handler, client, check, event, group }: HandlerJob): object {
  if (group === undefined) return { handler, client, check, event_id: event.id };
  return { handler, group: group.by, group_id: group.id, events: countGroupEvents(group) };
}
