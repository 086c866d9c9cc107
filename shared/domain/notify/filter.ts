import type { Event } from '../../schemas/event.ts';
import type { FilterDefect } from '../../schemas/explain.ts';
import { BUILT_IN_NAMES } from '../built-in.ts';
import { builtInFilter, filterEvent, filterV2Event, type FilterVerdict } from '../filter-event.ts';
import type { HandlerConditions, StageInputs, StageVerdict } from './notification-context.ts';

/**
 * Evaluates the filters of a handler in order, until a filter rejects the event. If no filter rejects it, the verdict
 * is `handle`, or `unknown_mutator` if the mutator of the handler is not defined. This is the last decision stage.
 */
export function evaluateFilters(conditions: HandlerConditions, event: Event, inputs: StageInputs): StageVerdict {
  const defects: FilterDefect[] = [];
  for (const name of filterNames(conditions)) {
    const verdict = evaluateNamedFilter(name, event, inputs, defects);
    if (verdict?.kind !== 'filtered') continue;
    const { attribute, reason } = verdict;
    return {
      verdict: 'filtered',
      reason: `filtered by ${name}: ${reason}`,
      filter: name,
      ...(attribute === undefined ? {} : { attribute }),
      ...defectsAttribute(defects),
    };
  }
  return { ...evaluateMutator(conditions, inputs), ...defectsAttribute(defects) };
}

function filterNames({ filter: name, filters }: HandlerConditions): readonly string[] {
  return filters ?? (name === undefined ? [] : [name]);
}

/**
 * Evaluates one filter on an event. If the filter is not defined or cannot be evaluated, adds an entry to `defects`.
 *
 * @returns undefined if no filter has this name; the event then passes (completion 1.9)
 */
function evaluateNamedFilter(
  name: string,
  event: Event,
  { namespace, definitions, events, moment }: StageInputs,
  defects: FilterDefect[],
): FilterVerdict | undefined {
  const definition = definitions.filter(name);
  const verdict =
    definition === undefined
      ? builtInFilter(name)?.(event, events)
      : definition.kind === 'filter'
        ? filterEvent(definition, event, moment)
        : filterV2Event(definition, { namespace, event }, moment);
  if (verdict === undefined) {
    defects.push({ filter: name, problem: 'unknown filter', reason: 'no filter with this name is defined' });
  } else if (verdict.defect !== undefined) {
    defects.push({ filter: name, problem: verdict.defect, reason: verdict.reason });
  }
  return verdict;
}

function defectsAttribute(defects: readonly FilterDefect[]): Pick<StageVerdict, 'defects'> {
  return defects.length === 0 ? {} : { defects };
}

function evaluateMutator({ mutator }: HandlerConditions, { definitions }: StageInputs): StageVerdict {
  if (mutator === undefined || BUILT_IN_NAMES.mutators.has(mutator) || definitions.mutator(mutator) !== undefined) {
    return { verdict: 'handle', reason: 'all conditions are met' };
  }
  return { verdict: 'unknown_mutator', reason: `its mutator ${mutator} is not defined, so the run will fail` };
}
