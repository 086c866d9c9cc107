import type { V2Filter } from '../../schemas/v2/filter.ts';
import { timeWindowsOf } from '../../schemas/v2/windows.ts';
import type { FilterDefinition } from '../../schemas/filter.ts';
import { isInWindow, parseTimeWindows, type TimeWindow } from '../time-window.ts';
import { eventConditions, evaluateExpressions, type V2Expressions } from './expressions.ts';
import type { Moment } from '../attribute-conditions.ts';
import type { Attributes } from '../attributes.ts';
import type { Untranslatable } from './problem.ts';
import { CONFIGURED_ANNOTATIONS } from './source.ts';

/** A v2 filter whose expressions and time windows are parsed. */
export interface V2EventFilter {
  readonly kind: 'core-filter';
  readonly action: 'allow' | 'deny';
  readonly conditions: V2Expressions;
  readonly windows: readonly TimeWindow[] | undefined;
}

/** Parses a v2 filter once, when it is stored or loaded. */
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
  /** Error message about an expression of the filter that could not be evaluated. */
  readonly defect?: string;
}

/**
 * Decides whether an event passes a filter. With `allow`, it passes if it is within the time windows and all
 * expressions are true. With `deny`, it is rejected if it is within the windows and all expressions are true. Windows
 * are in UTC, as in Sensu Go.
 *
 * @param event the event in the form that v2 filters use
 */
export function judgeV2Filter(
  { action, conditions, windows }: V2EventFilter,
  event: Attributes,
  moment: Moment,
): V2Verdict {
  if (windows !== undefined && !isInWindow(windows, moment.nowMs, 'UTC')) {
    return { isFiltered: action === 'allow', reason: 'it is outside of the time windows of the filter' };
  }
  const { objection, defects } = evaluateExpressions(conditions, { event }, moment);
  const [unanswered] = defects;
  const defect = unanswered && `${unanswered.source} has no answer: ${unanswered.message}`;
  const defectField = defect === undefined ? {} : { defect };
  if (objection !== undefined) {
    return { isFiltered: action === 'allow', reason: `it does not meet ${objection.source}`, ...defectField };
  }
  // If an expression fails and no other is false, the event passes, with either action.
  const isFiltered = action === 'deny' && defect === undefined;
  return { isFiltered, reason: defect ?? 'all expressions are true', ...defectField };
}

/**
 * Converts a filter from a configuration file to its v2 form. Its conditions use the v1 language, so they are under
 * `mon`.
 */
export function v2FilterOf(namespace: string, name: string, definition: FilterDefinition): V2Filter {
  const { negate, when } = definition;
  return {
    metadata: { name, namespace, labels: null, annotations: CONFIGURED_ANNOTATIONS },
    action: negate === true ? 'deny' : 'allow',
    expressions: [],
    when: when ?? null,
    runtime_assets: null,
    mon: definition,
  };
}
