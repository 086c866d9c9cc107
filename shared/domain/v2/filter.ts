import type { V2Filter } from '../../schemas/v2/filter.ts';
import { timeWindowsOf } from '../../schemas/v2/windows.ts';
import type { FilterDefinition } from '../../schemas/filter.ts';
import { isInWindow, parseTimeWindows, type TimeWindow } from '../time-window.ts';
import { eventConditions, judgeExpressions, type V2Expressions } from './expressions.ts';
import type { Moment } from '../attribute-conditions.ts';
import type { Attributes } from '../attributes.ts';
import type { Untranslatable } from './problem.ts';
import { CONFIGURED } from './source.ts';

/** A compiled v2 filter. */
export interface V2EventFilter {
  readonly kind: 'core-filter';
  readonly action: 'allow' | 'deny';
  readonly conditions: V2Expressions;
  readonly windows: readonly TimeWindow[] | undefined;
}

/** Parses the expressions once, when the filter is stored or loaded. */
export function v2EventFilterOf({ action, expressions, when }: V2Filter): V2EventFilter | Untranslatable {
  const conditions = eventConditions(expressions);
  if ('problem' in conditions) return conditions;
  const windows = timeWindowsOf(when);
  return {
    kind: 'core-filter',
    action,
    conditions,
    windows: windows === undefined ? undefined : parseTimeWindows(windows),
  };
}

/** The verdict of a v2 filter on an event. */
export interface V2Verdict {
  readonly isFiltered: boolean;
  readonly reason: string;
  /** Defect of the filter itself. */
  readonly defect?: string;
}

/**
 * Decides whether an event passes. With `allow` all expressions must be true within the time windows. With `deny` the
 * event is rejected if all are true within the windows. Windows are in UTC, as at the peer.
 *
 * @param event in its v2 form
 */
export function judgeV2Filter(
  { action, conditions, windows }: V2EventFilter,
  event: Attributes,
  moment: Moment,
): V2Verdict {
  if (windows !== undefined && !isInWindow(windows, moment.nowMs, 'UTC')) {
    return { isFiltered: action === 'allow', reason: 'it is outside of the time windows of the filter' };
  }
  const { objection, defects } = judgeExpressions(conditions, { event }, moment);
  const [unanswered] = defects;
  const defect = unanswered && `${unanswered.source} has no answer: ${unanswered.message}`;
  const defectField = defect === undefined ? {} : { defect };
  if (objection !== undefined) {
    return { isFiltered: action === 'allow', reason: `it does not meet ${objection.source}`, ...defectField };
  }
  // An event passes if an expression fails, with either action.
  const isFiltered = action === 'deny' && defect === undefined;
  return { isFiltered, reason: defect ?? 'all expressions are true', ...defectField };
}

/**
 * Converts a filter from a configuration file to its v2 form; its conditions use the v1 language and are under `mon`.
 */
export function v2FilterOf(namespace: string, name: string, definition: FilterDefinition): V2Filter {
  const { negate, when } = definition;
  return {
    metadata: { name, namespace, labels: null, annotations: CONFIGURED },
    action: negate === true ? 'deny' : 'allow',
    expressions: [],
    when: when ?? null,
    runtime_assets: null,
    mon: definition,
  };
}
