import type { SubmittedV2Event } from '../../schemas/v2/event.ts';
import type { CheckResult } from '../../schemas/result.ts';
import type { CheckState, EventState } from '../event.ts';
import { v2StateChange } from '../flapping.ts';
import { EMPTY_NOTIFICATION_LOG } from '../notify/notification-log.ts';
import { HISTORY_LENGTH, historyFromShownStatuses, statusesWithoutFirst, type History } from '../history.ts';
import { isSettings } from '../merge-settings.ts';

/**
 * Returns the state of a check from an imported event of Sensu Go. History, occurrences and times are kept, so that
 * counting, flap detection and resolution continue.
 *
 * @param result the result that the event reports
 * @param newId callback that returns an id for an event without one
 */
export function checkStateOfEvent(event: SubmittedV2Event, result: CheckResult, newId: () => string): CheckState {
  const check = event.check ?? {};
  const runs = runsOf(check['history'], result);
  const history = historyFromShownStatuses(runs.map(({ status }) => status));
  const lastOk = positiveSeconds(check['last_ok']) ?? null;
  const isFlapping = check['state'] === 'flapping';
  const occurrences = positiveCount(check['occurrences']) ?? 1;
  const watermark = Math.max(positiveCount(check['occurrences_watermark']) ?? 1, occurrences);
  if (result.status === 0 && !isFlapping) {
    return {
      history,
      lastOk,
      event: undefined,
      okCount: occurrences < HISTORY_LENGTH ? undefined : occurrences,
      okWatermark: watermark > occurrences ? watermark : undefined,
    };
  }
  return {
    history,
    lastOk,
    okCount: undefined,
    okWatermark: undefined,
    event: {
      id: typeof event['id'] === 'string' && event['id'] !== '' ? event['id'] : newId(),
      action: isFlapping ? 'flapping' : 'create',
      status: result.status,
      occurrences,
      watermark,
      timestamp: event.timestamp ?? result.executed,
      lastStateChange: lastStateChangeOf(runs),
      lastOk,
      totalStateChange: changeOf(check['total_state_change'], history),
      notifications: EMPTY_NOTIFICATION_LOG,
      recovery: undefined,
      acknowledgement: undefined,
    } satisfies EventState,
  };
}

interface HistoryRun {
  readonly status: number;
  /** Epoch seconds of the run; 0 if unknown. */
  readonly executed: number;
}

/** Returns the runs in the history of a check, oldest first. The last one has the status of the reported result. */
function runsOf(history: unknown, { status, executed }: CheckResult): readonly HistoryRun[] {
  const runs = (Array.isArray(history) ? history : []).flatMap((run: unknown): HistoryRun[] => {
    if (!isSettings(run) || !Number.isInteger(run['status'])) return [];
    return [{ status: Number(run['status']), executed: positiveSeconds(run['executed']) ?? 0 }];
  });
  return runs.at(-1)?.status === status ? runs : [...runs, { status, executed }];
}

/** Returns when the current status began according to the history, in epoch seconds; null if that time is unknown. */
function lastStateChangeOf(runs: readonly HistoryRun[]): number | null {
  const last = runs.at(-1)?.status;
  const before = runs.findLastIndex(({ status }) => status !== last);
  return runs[before + 1]?.executed || null;
}

function changeOf(totalStateChange: unknown, history: History): number {
  return typeof totalStateChange === 'number' && totalStateChange >= 0
    ? totalStateChange
    : v2StateChange(statusesWithoutFirst(history));
}

function positiveSeconds(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function positiveCount(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}
