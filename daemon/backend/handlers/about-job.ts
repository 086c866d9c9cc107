import { eventsIn } from '../../../shared/domain/grouping/run.ts';
import type { HandlerJob } from '../../../shared/schemas/handler-job.ts';

/** What records of the log say a run is about: its event, or its group and how many events are in it. */
export function aboutJob({ handler, client, check, event, group }: HandlerJob): object {
  if (group === undefined) return { handler, client, check, event_id: event.id };
  return { handler, group: group.by, group_id: group.id, events: eventsIn(group) };
}
