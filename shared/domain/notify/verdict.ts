import type { Event } from '../../schemas/event.ts';
import type { FilterDefect, HandlerVerdict } from '../../schemas/explain.ts';
import type { HandlerDefinition, RunningHandler } from '../../schemas/handler.ts';
import type { Inhibitor } from '../../schemas/inhibition.ts';
import type { MutatorDefinition } from '../../schemas/mutator.ts';
import type { Moment } from '../attribute-conditions.ts';
import { BUILT_IN } from '../built-in.ts';
import type { V2EventFilter } from '../v2/filter.ts';
import { pipelineRefs, type RoutedWorkflow } from '../v2/pipeline.ts';
import {
  builtInFilter,
  filterV2Event,
  filterEvent,
  type EventFilter,
  type FilterVerdict,
  type StoredEvents,
} from '../filter-event.ts';
import { severityOf } from '../severity.ts';

/** Looks up definitions by name. */
export interface HandlingDefinitions {
  handler(name: string): HandlerDefinition | undefined;
  filter(name: string): EventFilter | V2EventFilter | undefined;
  mutator(name: string): MutatorDefinition | undefined;
}

/** The handler of checks that name no handler. */
export const DEFAULT_HANDLER = 'default';

/** Maximum number of handler names considered, since a result may carry a list of any length. */
const NAMES_MAX = 100;

type Check = Readonly<Record<string, unknown>>;

/**
 * Returns the handlers that a check names, including sets, each once (legacy-peer, State machine). `handlers` overrides
 * `handler`, an empty list means none, and without either it is `default`. Only the first 100 names of a list count.
 *
 * The reference says that `contacts` and `contact` route events (2.2), but not how. Here a contact is the name of a
 * handler or set. Contacts run in addition to the handlers that the check names, and replace `default`. Pipelines of a
 * check replace `default` too.
 */
export function handlerNames(check: Check): readonly string[] {
  const contacts = namesOf(check['contacts'], check['contact']) ?? [];
  const hasOthers = contacts.length > 0 || pipelineRefs(check).length > 0;
  const handlers = namesOf(check['handlers'], check['handler']) ?? (hasOthers ? [] : [DEFAULT_HANDLER]);
  return contacts.length === 0 ? handlers : [...new Set([...handlers, ...contacts])];
}

/** @returns undefined if neither attribute is present */
function namesOf(plural: unknown, singular: unknown): readonly string[] | undefined {
  if (Array.isArray(plural)) return plural.slice(0, NAMES_MAX).filter((name) => typeof name === 'string');
  return typeof singular === 'string' ? [singular] : undefined;
}

/** The target of a handler name: a handler that can run, or the reason why there is none. */
export type RoutedHandler =
  | {
      readonly kind: 'handler';
      readonly name: string;
      /** Undefined for built-in handlers, which have no conditions. */
      readonly definition: RunningHandler | undefined;
      readonly workflow?: never;
    }
  | { readonly kind: 'unknown_handler' | 'nested_set'; readonly name: string; readonly workflow?: never }
  | RoutedWorkflow;

/** A set may contain sets, but sets below those are ignored (completion 1.8). */
const SET_DEPTH_MAX = 2;

/** Expands sets. Attributes of a set have no effect, and a handler that is named twice runs once (completion 1.8). */
export function routeHandlers(names: readonly string[], definitions: HandlingDefinitions): readonly RoutedHandler[] {
  const routed = new Map<string, RoutedHandler>();

  function add(name: string, depth: number): void {
    const definition = definitions.handler(name);
    if (definition?.type === 'set') {
      if (depth < SET_DEPTH_MAX) for (const member of definition.handlers) add(member, depth + 1);
      else routed.set(name, { kind: 'nested_set', name });
    } else if (definition !== undefined || BUILT_IN.handlers.has(name)) {
      routed.set(name, { kind: 'handler', name, definition });
    } else {
      routed.set(name, { kind: 'unknown_handler', name });
    }
  }

  for (const name of names) add(name, 0);
  return [...routed.values()];
}

/** Whether a check disables the handling of its events. */
export function isHandlingDisabled(check: Check): boolean {
  return check['handle'] === false;
}

/** Inputs of a verdict from outside. */
export interface HandlingCircumstances {
  /** Namespace of the event. */
  readonly namespace: string;
  readonly definitions: HandlingDefinitions;
  readonly events: StoredEvents;
  readonly moment: Moment;
  /** The inhibition that suppresses the event; undefined if none does. */
  readonly quiet?: Quiet | undefined;
  /** Whether the stored event stays open unchanged, so that this one is not its resolution. */
  readonly isBeside?: boolean;
}

/** The inhibition that suppresses an event for all handlers. */
export interface Quiet {
  /** Text for people that follows "this handler, because". */
  readonly reason: string;
  /** Undefined: the inhibited event is resolved now. */
  readonly inhibitor?: Inhibitor;
  /** Mark of the rule. */
  readonly mark?: string;
  /** Key built from the values that both events have in common. */
  readonly common?: string;
}

/**
 * Decides whether a handler runs for an event. The first objection counts, in this order: disabled, action, severity,
 * silenced, inhibited (inhibition 2), filters (legacy-peer, Silenced matching).
 */
export function judgeHandler(
  handler: RoutedHandler,
  event: Event,
  circumstances: HandlingCircumstances,
): HandlerVerdict {
  if (handler.kind !== 'handler') return refusal(handler);
  const conditions = handler.definition ?? NO_CONDITIONS;
  return {
    ...nameOf(handler),
    ...(objection(conditions, event, circumstances) ??
      inhibited(circumstances) ??
      filtered(conditions, event, circumstances)),
  };
}

/** Returns the verdict for a name without a usable handler. */
export function refusal(routed: Exclude<RoutedHandler, { readonly kind: 'handler' }>): HandlerVerdict {
  const reason =
    'reason' in routed
      ? routed.reason
      : routed.kind === 'unknown_handler'
        ? 'no handler with this name is defined'
        : 'handler sets cannot be nested deeper than two levels';
  return { ...nameOf(routed), verdict: routed.kind, reason };
}

/** Returns the name of a handler for verdicts, with its workflow if it has one. */
export function nameOf({ name, workflow }: RoutedHandler): Pick<HandlerVerdict, 'handler' | 'workflow'> {
  return workflow === undefined ? { handler: name } : { handler: name, workflow };
}

/** Whether a verdict leads to a run. A run that is sure to fail counts too, so that it is reported as a failed run. */
export function isRun({ verdict }: Pick<HandlerVerdict, 'verdict'>): boolean {
  return verdict === 'handle' || verdict === 'unknown_mutator';
}

/** Whether a handler groups events. */
export function isGrouping(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.group_by !== undefined;
}

/** Whether silences suppress events for a handler. */
export function heedsSilences(handler: RoutedHandler): boolean {
  return handler.kind !== 'handler' || handler.definition?.handle_silenced !== true;
}

/** Whether a silenced event would run the handler without the silence. */
export function isSuppressedRun(handler: RoutedHandler, event: Event, circumstances: HandlingCircumstances): boolean {
  return isRun(judgeHandler(handler, { ...event, silenced: false, silenced_by: [] }, circumstances));
}

/** A verdict without the name of its handler. */
type Judgement = Omit<HandlerVerdict, 'handler'>;

type Conditions = Partial<
  Pick<
    RunningHandler,
    'filter' | 'filters' | 'severities' | 'mutator' | 'handle_silenced' | 'handle_flapping' | 'group_by'
  >
>;

const NO_CONDITIONS: Conditions = {};

/** Returns the first objection that follows from the handler's own attributes. */
function objection(
  { severities, handle_silenced, handle_flapping, group_by }: Conditions,
  event: Event,
  { isBeside }: Pick<HandlingCircumstances, 'isBeside'>,
): Judgement | undefined {
  if (isHandlingDisabled(event.check)) return { verdict: 'disabled', reason: 'its check has handle: false' };
  if (event.action === 'flapping' && handle_flapping !== true) {
    return { verdict: 'action', reason: 'it is flapping, and the handler does not set handle_flapping: true' };
  }
  if (group_by !== undefined && event.check.status === 0 && (event.action !== 'resolve' || isBeside === true)) {
    return { verdict: 'action', reason: 'it is neither an incident nor its resolution, and the handler has group_by' };
  }
  if (severities !== undefined && !hasSeverity(event, severities)) {
    return { verdict: 'severity', reason: severityReason(event, severities) };
  }
  if (event.silenced && handle_silenced !== true) {
    const { silenced_by } = event;
    return {
      verdict: 'silenced',
      reason: silencedReason(silenced_by),
      silenced_by,
    };
  }
  return undefined;
}

function inhibited({ quiet }: HandlingCircumstances): Judgement | undefined {
  if (quiet === undefined) return undefined;
  const { reason, inhibitor } = quiet;
  return { verdict: 'inhibited', reason, ...(inhibitor !== undefined && { inhibited_by: inhibitor }) };
}

/** Text for people that follows "this handler, because". */
export function inhibitedReason({ rule, client, check }: Inhibitor): string {
  return `inhibited by ${rule} while ${client}/${check} is failing`;
}

/** Returns the reason for silenced events, which follows "this handler, because". */
export function silencedReason(silencedBy: readonly string[]): string {
  return `silenced by ${silencedBy.join(', ')}, and the handler does not set handle_silenced: true`;
}

/**
 * Whether an event has a listed severity. For a resolution any status of the history counts, because handlers notified
 * of the problem must be notified of its resolution.
 */
function hasSeverity({ action, check }: Event, severities: readonly string[]): boolean {
  if (action !== 'resolve') return severities.includes(severityOf(check.status));
  return check.history.some((status) => severities.includes(severityOf(Number(status))));
}

function severityReason({ action, check }: Event, severities: readonly string[]): string {
  const wanted = severities.length === 0 ? 'none' : severities.join(', ');
  return action === 'resolve'
    ? `it resolves, and no result in its history has a severity of the handler (${wanted})`
    : `its severity is ${severityOf(check.status)}, and the handler accepts ${wanted}`;
}

function filtered(conditions: Conditions, event: Event, circumstances: HandlingCircumstances): Judgement {
  const defects: FilterDefect[] = [];
  for (const filter of filterNames(conditions)) {
    const verdict = judgeFilter(filter, event, circumstances, defects);
    if (verdict?.kind !== 'filtered') continue;
    const { attribute, reason } = verdict;
    return {
      verdict: 'filtered',
      reason: `filtered by ${filter}: ${reason}`,
      filter,
      ...(attribute === undefined ? {} : { attribute }),
      ...defectsIn(defects),
    };
  }
  return { ...mutable(conditions, circumstances), ...defectsIn(defects) };
}

function filterNames({ filter, filters }: Conditions): readonly string[] {
  return filters ?? (filter === undefined ? [] : [filter]);
}

/** @returns undefined if no such filter is defined, and the event passes (completion 1.9) */
function judgeFilter(
  name: string,
  event: Event,
  { namespace, definitions, events, moment }: HandlingCircumstances,
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

function defectsIn(defects: readonly FilterDefect[]): Pick<Judgement, 'defects'> {
  return defects.length === 0 ? {} : { defects };
}

function mutable({ mutator }: Conditions, { definitions }: HandlingCircumstances): Judgement {
  if (mutator === undefined || BUILT_IN.mutators.has(mutator) || definitions.mutator(mutator) !== undefined) {
    return { verdict: 'handle', reason: 'all conditions are met' };
  }
  return { verdict: 'unknown_mutator', reason: `its mutator ${mutator} is not defined, so the run will fail` };
}
