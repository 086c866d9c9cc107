import type { Event } from '../schemas/event.ts';
import type { FilterDefect, HandlerVerdict } from '../schemas/explain.ts';
import type { HandlerDefinition, RunningHandler } from '../schemas/handler.ts';
import type { Inhibitor } from '../schemas/inhibition.ts';
import type { MutatorDefinition } from '../schemas/mutator.ts';
import type { Moment } from './attribute-conditions.ts';
import { BUILT_IN } from './built-in.ts';
import type { V2EventFilter } from './v2/filter.ts';
import { pipelineRefs, type RoutedWorkflow } from './v2/pipeline.ts';
import {
  builtInFilter,
  filterV2Event,
  filterEvent,
  type EventFilter,
  type FilterVerdict,
  type StoredEvents,
} from './filter-event.ts';
import { severityOf } from './severity.ts';

/** Where definitions are found by their name. */
export interface HandlingDefinitions {
  handler(name: string): HandlerDefinition | undefined;
  filter(name: string): EventFilter | V2EventFilter | undefined;
  mutator(name: string): MutatorDefinition | undefined;
}

/** The handler of checks that name none. */
export const DEFAULT_HANDLER = 'default';

/** Most names that count: a result may bring a list of any length. */
const NAMES_MAX = 100;

type Check = Readonly<Record<string, unknown>>;

/**
 * The handlers that a check names, sets included, each once (legacy-peer, State machine): `handlers` wins over `handler`,
 * an empty list is none, and without either it is `default`. Of a longer list the first 100 count.
 *
 * The reference says of `contacts`, and of `contact` for a single one, that they route (2.2) and not how. Here a contact
 * is a handler or set of its name: those run besides the ones that the check names, and in place of `default`. A
 * check that names pipelines means those in place of `default` too.
 */
export function handlerNames(check: Check): readonly string[] {
  const contacts = namesOf(check['contacts'], check['contact']) ?? [];
  const hasOthers = contacts.length > 0 || pipelineRefs(check).length > 0;
  const handlers = namesOf(check['handlers'], check['handler']) ?? (hasOthers ? [] : [DEFAULT_HANDLER]);
  return contacts.length === 0 ? handlers : [...new Set([...handlers, ...contacts])];
}

/** @returns undefined when neither attribute is there */
function namesOf(plural: unknown, singular: unknown): readonly string[] | undefined {
  if (Array.isArray(plural)) return plural.slice(0, NAMES_MAX).filter((name) => typeof name === 'string');
  return typeof singular === 'string' ? [singular] : undefined;
}

/** What a name leads to: a handler that can run, or the reason why there is none. */
export type RoutedHandler =
  | {
      readonly kind: 'handler';
      readonly name: string;
      /** Undefined: it is built in, and has no conditions. */
      readonly definition: RunningHandler | undefined;
      readonly workflow?: never;
    }
  | { readonly kind: 'unknown_handler' | 'nested_set'; readonly name: string; readonly workflow?: never }
  | RoutedWorkflow;

/** A set may hold sets, whose sets do nothing (completion 1.8). */
const SET_DEPTH_MAX = 2;

/** Takes sets apart; attributes of a set do nothing, and what is named twice runs once (completion 1.8). */
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

/** Whether a check wants its events handled at all. */
export function isHandlingDisabled(check: Check): boolean {
  return check['handle'] === false;
}

/** What a judgement may ask of the outside. */
export interface HandlingCircumstances {
  /** Of the event. */
  readonly namespace: string;
  readonly definitions: HandlingDefinitions;
  readonly events: StoredEvents;
  readonly moment: Moment;
  /** Why nobody is to hear of the event; undefined: nothing keeps it quiet. */
  readonly quiet?: Quiet | undefined;
  /** Whether an event is open that it leaves as it is, so that it is not the end of that. */
  readonly isBeside?: boolean;
}

/** Why an inhibition keeps an event from all handlers. */
export interface Quiet {
  /** For people: what follows on "this handler, because". */
  readonly reason: string;
  /** Undefined: it was kept quiet, and now ends. */
  readonly inhibitor?: Inhibitor;
  /** Of the rule. */
  readonly mark?: string;
  /** Made of what both events have in common. */
  readonly common?: string;
}

/**
 * What becomes of an event at a handler. The first reason against it counts, in this order: disabled, action, severity,
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

/** The verdict on any event at a name that leads nowhere. */
export function refusal(routed: Exclude<RoutedHandler, { readonly kind: 'handler' }>): HandlerVerdict {
  const reason =
    'reason' in routed
      ? routed.reason
      : routed.kind === 'unknown_handler'
        ? 'no handler with this name is defined'
        : 'handler sets cannot be nested deeper than two levels';
  return { ...nameOf(routed), verdict: routed.kind, reason };
}

/** The name of a handler in verdicts, with the workflow that it stands for. */
export function nameOf({ name, workflow }: RoutedHandler): Pick<HandlerVerdict, 'handler' | 'workflow'> {
  return workflow === undefined ? { handler: name } : { handler: name, workflow };
}

/** Whether a verdict makes a run; one that is sure to fail is told where failed runs are. */
export function isRun({ verdict }: Pick<HandlerVerdict, 'verdict'>): boolean {
  return verdict === 'handle' || verdict === 'unknown_mutator';
}

/** Whether a handler tells of the events of a group together. */
export function isGrouping(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.group_by !== undefined;
}

/** Whether silences keep events from a handler. */
export function heedsSilences(handler: RoutedHandler): boolean {
  return handler.kind !== 'handler' || handler.definition?.handle_silenced !== true;
}

/** Whether a handler that a silence kept back would have run without it. */
export function isSuppressedRun(handler: RoutedHandler, event: Event, circumstances: HandlingCircumstances): boolean {
  return isRun(judgeHandler(handler, { ...event, silenced: false, silenced_by: [] }, circumstances));
}

/** A verdict before it is said whose it is. */
type Judgement = Omit<HandlerVerdict, 'handler'>;

type Conditions = Partial<
  Pick<
    RunningHandler,
    'filter' | 'filters' | 'severities' | 'mutator' | 'handle_silenced' | 'handle_flapping' | 'group_by'
  >
>;

const NO_CONDITIONS: Conditions = {};

/** What the handler's own attributes have against an event. */
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

/** For people: what follows on "this handler, because". */
export function inhibitedReason({ rule, client, check }: Inhibitor): string {
  return `inhibited by ${rule} while ${client}/${check} is failing`;
}

/** The same of silenced entries. */
export function silencedReason(silencedBy: readonly string[]): string {
  return `silenced by ${silencedBy.join(', ')}, and the handler does not set handle_silenced: true`;
}

/** Of a resolve any status of its history may be the listed one: whoever was told of the problem hears of its end. */
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

/** @returns undefined when no such filter is defined: the event passes (completion 1.9) */
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
