import type { AuditAction } from '../../schemas/audit.ts';
import type { ReportAction, ReportActionKind } from '../../schemas/report.ts';
import type { TimelineRow, Transition } from '../../schemas/timeline.ts';
import { clientSubscription } from '../subscription.ts';

/** Maximum time between two equal actions that are merged. */
const TOGETHER_MS = 60_000;

const OF_ONE_CLIENT = clientSubscription('');

/** Maximum number of targets that a merged action names. */
const NAMED_MAX = 5;

const ACTIONS: Partial<Record<Transition['kind'], ReportActionKind>> = {
  silence: 'silenced',
  clear: 'ended',
  resolve: 'resolved',
  remove: 'deleted',
  rename: 'renamed',
};

/** Audit actions that a report omits, because the timeline reports them too or they change nothing. */
const EXCLUDED_ACTIONS: ReadonlySet<string> = new Set<AuditAction>([
  'silence.create',
  'silence.replace',
  'silence.restore',
  'silence.clear',
  'silence.expire',
  'event.resolve',
  'event.delete',
  'result.delete',
  'client.delete',
  'check.delete',
  'check.rename',
  'bulk',
  'undo',
  'settings.read',
  'dump',
]);

/** Whether a report lists an audit record with this action in addition to the timeline. */
export function isOtherChange(action: string): boolean {
  return !EXCLUDED_ACTIONS.has(action);
}

/**
 * Whether a silence acknowledges an event: it covers one check on one client and ends with the event (spec, report 3).
 */
export function isAcknowledgement({
  subscription = '',
  check,
  expire_on_resolve: endsWithEvent,
}: Pick<Transition, 'subscription' | 'check' | 'expire_on_resolve'>): boolean {
  return endsWithEvent === true && check !== undefined && subscription.startsWith(OF_ONE_CLIENT);
}

/** Whether the row is about a later window of a recurring silence, not about the creation of the silence. */
function isNextWindow({ recurrence, by }: TimelineRow): boolean {
  return recurrence !== undefined && by === undefined;
}

/**
 * Returns the action of a person that a timeline row records; undefined if it records an automatic change or a result.
 */
export function actionOf(row: TimelineRow): ReportAction | undefined {
  const action = row.kind === 'silence' && isAcknowledgement(row) ? 'acknowledged' : ACTIONS[row.kind];
  const who = row.creator ?? row.by;
  if (action === undefined || who === undefined || isNextWindow(row)) return undefined;
  const { namespace, at, reason, end } = row;
  return {
    ...(namespace !== undefined && { namespace }),
    at,
    who,
    action,
    targets: [targetOf(row, action)],
    count: 1,
    ...(reason !== undefined && { reason }),
    ...(end !== undefined && { end }),
  };
}

function targetOf(
  { client, subscription = '', check = '', silence = '', to }: TimelineRow,
  action: ReportActionKind,
): string {
  if (action === 'renamed') return `${check} > ${String(to)}`;
  if (action === 'acknowledged') return `${subscription.slice(OF_ONE_CLIENT.length)}/${check}`;
  return client === undefined ? silence : `${client}/${check}`;
}

/**
 * Merges equal actions that one person did for the same reason within a minute.
 *
 * @param actions the newest first
 */
export function mergeActions(actions: readonly ReportAction[]): ReportAction[] {
  const mergedActions: ReportAction[] = [];
  for (const action of actions) {
    const last = mergedActions.at(-1);
    if (last !== undefined && isSame(last, action)) mergedActions[mergedActions.length - 1] = joined(last, action);
    else mergedActions.push(action);
  }
  return mergedActions;
}

function isSame(newer: ReportAction, older: ReportAction): boolean {
  return (
    newer.who === older.who &&
    newer.action === older.action &&
    newer.reason === older.reason &&
    newer.namespace === older.namespace &&
    newer.at - older.at <= TOGETHER_MS
  );
}

function joined({ end: newerEnd, ...newer }: ReportAction, older: ReportAction): ReportAction {
  const end = newerEnd === undefined || older.end === undefined ? undefined : Math.max(newerEnd, older.end);
  return {
    ...newer,
    at: older.at,
    targets: [...new Set([...older.targets, ...newer.targets])].slice(0, NAMED_MAX),
    count: newer.count + older.count,
    ...(end !== undefined && { end }),
  };
}
