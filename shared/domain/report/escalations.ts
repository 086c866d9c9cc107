import type { ReportEscalation } from '../../schemas/report.ts';
import type { TimelineRow } from '../../schemas/timeline.ts';

/** Maximum time between two equal steps that a report merges into one. */
const TOGETHER_MS = 60_000;

/** Maximum number of events that a merged step names. */
const NAMED_TARGETS_MAX = 5;

/** Returns the step of an escalation that a timeline row records; undefined if it records anything else. */
export function reportEscalationOf(row: TimelineRow): ReportEscalation | undefined {
  const { namespace, at, client = '', check = '', escalation } = row;
  if (escalation?.state !== 'notified') return undefined;
  const { handler, step, of, repeat, notified = [] } = escalation;
  return {
    ...(namespace !== undefined && { namespace }),
    at,
    handler,
    step,
    of,
    ...(repeat !== undefined && { repeat }),
    targets: [`${client}/${check}`],
    count: 1,
    notified,
  };
}

/**
 * Merges consecutive equal steps of an escalation within a minute that notified the same handlers.
 *
 * @param steps the newest first
 */
export function mergeEscalations(steps: readonly ReportEscalation[]): ReportEscalation[] {
  const merged: ReportEscalation[] = [];
  for (const step of steps) {
    const last = merged.at(-1);
    if (last !== undefined && isSameStep(last, step)) merged[merged.length - 1] = joinSteps(last, step);
    else merged.push(step);
  }
  return merged;
}

function isSameStep(newer: ReportEscalation, older: ReportEscalation): boolean {
  return (
    newer.handler === older.handler &&
    newer.step === older.step &&
    newer.repeat === older.repeat &&
    newer.namespace === older.namespace &&
    newer.notified.join() === older.notified.join() &&
    newer.at - older.at <= TOGETHER_MS
  );
}

function joinSteps(newer: ReportEscalation, older: ReportEscalation): ReportEscalation {
  const targets = [...new Set([...older.targets, ...newer.targets])].slice(0, NAMED_TARGETS_MAX);
  return { ...newer, at: older.at, targets, count: newer.count + older.count };
}
