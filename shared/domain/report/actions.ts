import { silenceName, targetTextOfId } from '../silence-name.ts';
import type { AuditAction } from '../../schemas/audit.ts';
import type { ReportAction, ReportActionKind } from '../../schemas/report.ts';
import type { TimelineRow, Transition } from '../../schemas/timeline.ts';
import { clientSubscription } from '../subscription.ts';

/** Maximum time between two equal actions of a person that a report merges into one. */
const TOGETHER_MS = 60_000;

const CLIENT_SUBSCRIPTION_PREFIX = clientSubscription('');

/** Maximum number of targets (clients, events, silences) that a merged action names. */
const NAMED_TARGETS_MAX = 5;

const ACTIONS_BY_TRANSITION: Partial<Record<Transition['kind'], ReportActionKind>> = {
  silence: 'silenced',
  acknowledge: 'acknowledged',
  clear: 'ended',
  resolve: 'resolved',
  remove: 'deleted',
  rename: 'renamed',
};

/** Audit actions that a report omits, because the timeline contains them too, or because they change nothing. */
const EXCLUDED_ACTIONS: ReadonlySet<string> = new Set<AuditAction>([
  'silence.create',
  'silence.replace',
  'silence.restore',
  'silence.clear',
  'silence.expire',
  'event.acknowledge',
  'event.unacknowledge',
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

/** Whether a report lists audit records with this action under "Other changes". */
export function isOtherChange(action: string): boolean {
  return !EXCLUDED_ACTIONS.has(action);
}

/**
 * Whether a silence is an acknowledgement of an event: it is for one check on one client and ends when the event
 * resolves (spec, report 3).
 */
export function isAcknowledgement({
  subscription = '',
  check,
  expire_on_resolve: endsWithEvent,
}: Pick<Transition, 'subscription' | 'check' | 'expire_on_resolve'>): boolean {
  return endsWithEvent === true && check !== undefined && subscription.startsWith(CLIENT_SUBSCRIPTION_PREFIX);
}

/** Whether a timeline row records the start of a further window of a recurring silence, not the silence's creation. */
function isNextWindow({ recurrence, by }: TimelineRow): boolean {
  return recurrence !== undefined && by === undefined;
}

/**
 * Returns the action of a person that a timeline row records; undefined if it records an automatic change or a result.
 */
export function actionOf(row: TimelineRow): ReportAction | undefined {
  const action = row.kind === 'silence' && isAcknowledgement(row) ? 'acknowledged' : ACTIONS_BY_TRANSITION[row.kind];
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

function targetOf(row: TimelineRow, action: ReportActionKind): string {
  const { client, subscription = '', check = '', silence = '', to } = row;
  if (action === 'renamed') return `${check} > ${String(to)}`;
  if (client !== undefined) return `${client}/${check}`;
  if (action === 'acknowledged') return `${subscription.slice(CLIENT_SUBSCRIPTION_PREFIX.length)}/${check}`;
  return row.selector === undefined ? targetTextOfId(silence) : silenceName({ selector: row.selector });
}

/**
 * Merges consecutive actions of the same kind that one person did for the same reason within a minute.
 *
 * @param actions the newest first
 */
export function mergeActions(actions: readonly ReportAction[]): ReportAction[] {
  const mergedActions: ReportAction[] = [];
  for (const action of actions) {
    const last = mergedActions.at(-1);
    if (last !== undefined && isSameAction(last, action))
      mergedActions[mergedActions.length - 1] = joinActions(last, action);
    else mergedActions.push(action);
  }
  return mergedActions;
}

function isSameAction(newer: ReportAction, older: ReportAction): boolean {
  return (
    newer.who === older.who &&
    newer.action === older.action &&
    newer.reason === older.reason &&
    newer.namespace === older.namespace &&
    newer.at - older.at <= TOGETHER_MS
  );
}

function joinActions({ end: newerEnd, ...newer }: ReportAction, older: ReportAction): ReportAction {
  const end = newerEnd === undefined || older.end === undefined ? undefined : Math.max(newerEnd, older.end);
  return {
    ...newer,
    at: older.at,
    targets: [...new Set([...older.targets, ...newer.targets])].slice(0, NAMED_TARGETS_MAX),
    count: newer.count + older.count,
    ...(end !== undefined && { end }),
  };
}
