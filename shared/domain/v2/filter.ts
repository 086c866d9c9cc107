import type { V2Filter } from '../../schemas/v2/filter.ts';
import { timeWindowsOf } from '../../schemas/v2/windows.ts';
import type { FilterDefinition } from '../../schemas/filter.ts';
import { isInWindow, parseTimeWindows, type TimeWindow } from '../time-window.ts';
import { eventConditions, evaluateExpressions, type V2Expressions } from './expressions.ts';
import type { EvaluationTime } from '../attribute-conditions.ts';
import type { Attributes } from '../attributes.ts';
import type { UntranslatableObject } from './problem.ts';
import { CONFIGURED_ANNOTATIONS } from './source.ts';

/** A filter of the v2 API with parsed expressions and time windows. */
export interface V2EventFilter {
  readonly kind: 'core-filter';
  readonly action: 'allow' | 'deny';
  readonly conditions: V2Expressions;
  readonly windows: readonly TimeWindow[] | undefined;
}

/** Parses a v2 filter once, when it is stored or loaded. */
export function v2EventFilterOf({ action, expressions, when }: V2Filter): V2EventFilter | UntranslatableObject {
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

/** The decision of a v2 filter about an event. */
export interface V2Verdict {
  readonly isFiltered: boolean;
  readonly reason: string;
  /** Error message about an expression that could not be evaluated; absent if there is none. */
  readonly defect?: string;
}

/**
 * Decides whether an event passes a v2 filter. With `allow`, it passes if the time is in one of the time windows and
 * all expressions are true. With `deny`, it is rejected in that case and passes otherwise. Windows are in UTC, as in
 * Sensu Go.
 *
 * @param event the event in the form that v2 filters use
 */
export function judgeV2Filter(
  { action, conditions, windows }: V2EventFilter,
  event: Attributes,
  moment: EvaluationTime,
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
  // If an expression fails with an error and no other is false, the event passes, with `allow` as well as with `deny`.
  const isFiltered = action === 'deny' && defect === undefined;
  return { isFiltered, reason: defect ?? 'all expressions are true', ...defectField };
}

/**
 * Converts a filter from a configuration file to its v2 form. Its conditions are in the v1 language, so they are shown
 * in the attribute `mon`.
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
