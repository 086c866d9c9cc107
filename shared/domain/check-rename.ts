import type { CheckState, EventState } from './event.ts';
import { historyOf, statusesOf } from './history.ts';
import { joinEscalations } from './notify/escalation.ts';
import { mergeNotificationLogs } from './notify/notification-log.ts';

/**
 * Joins the states of a check that was renamed. The state comes from the results under the new name; the results under
 * the old name become its history. An event that was open under both names continues as one event.
 *
 * @param before state under the old name
 * @param after state under the new name
 * @param named names of the handlers in the last result
 */
export function joinRenamedCheckStates(before: CheckState, after: CheckState, named: readonly string[]): CheckState {
  return {
    history: historyOf([...statusesOf(before.history), ...statusesOf(after.history)]),
    lastOk: after.lastOk ?? before.lastOk,
    event:
      before.event === undefined || after.event === undefined
        ? after.event
        : joinEventStates(before.event, after.event, named),
    okCount: after.okCount ?? joinedOkCount(before, after),
    okWatermark: after.okWatermark,
  };
}

function joinedOkCount({ okCount }: CheckState, { history }: CheckState): number | undefined {
  const isOk = statusesOf(history).every((status) => status === 0);
  return okCount === undefined || !isOk ? undefined : okCount + history.length;
}

function joinEventStates(before: EventState, after: EventState, named: readonly string[]): EventState {
  const isSameStatus = before.status === after.status;
  const occurrences = isSameStatus ? before.occurrences + after.occurrences : after.occurrences;
  return {
    ...after,
    id: before.id,
    occurrences,
    watermark: Math.max(before.watermark, after.watermark, occurrences),
    lastStateChange: isSameStatus ? before.lastStateChange : after.lastStateChange,
    lastOk: after.lastOk ?? before.lastOk,
    notifications: mergeNotificationLogs(before.notifications, after.notifications, named),
    escalations: joinEscalations(before.escalations, after.escalations),
  };
}
