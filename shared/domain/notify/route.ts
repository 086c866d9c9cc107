import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { EscalationDefinition, HandlerDefinition, RunningHandler } from '../../schemas/handler.ts';
import type { MutatorDefinition } from '../../schemas/mutator.ts';
import { presetTraits } from '../../schemas/preset.ts';
import { onCallScheduleOf } from '../../schemas/on-call.ts';
import { BUILT_IN_NAMES } from '../built-in.ts';
import type { EventFilter } from '../filter-event.ts';
import type { V2EventFilter } from '../v2/filter.ts';
import {
  NO_HANDLER_NOTIFIED_TEXT,
  pipelineRefs,
  undefinedScheduleText,
  type OnCallTarget,
  type RoutedWorkflow,
} from '../v2/pipeline.ts';

/* The route of an event: the handlers that its check names, with each handler set replaced by its members. */

/** The handlers, filters and mutators that are defined in a namespace, by name. */
export interface HandlingDefinitions {
  handler(name: string): HandlerDefinition | undefined;
  filter(name: string): EventFilter | V2EventFilter | undefined;
  mutator(name: string): MutatorDefinition | undefined;
  /** Returns what `on-call/NAME` stands for; absent where there are no schedules. */
  onCall?(schedule: string): OnCallTarget | undefined;
}

/** The handler that is notified if a check has no attribute that names handlers, contacts or pipelines. */
export const DEFAULT_HANDLER = 'default';

/**
 * Maximum number of names that are read from a list of handlers or contacts in a check. A result may contain a list of
 * any length.
 */
const HANDLER_NAMES_MAX = 100;

type CheckAttributes = Readonly<Record<string, unknown>>;

/**
 * Returns the handlers and handler sets that are configured in a check, by name (legacy-peer, State machine).
 * `handlers` overrides `handler`. An empty list means no handler. If the check has neither attribute, the result is
 * `default`. Only the first 100 entries of a list are read.
 *
 * The reference says that `contacts` and `contact` route events (2.2), but not how. Here, each contact names a handler
 * or a handler set that is notified in addition to the configured handlers. If a check has contacts or pipelines but no
 * handlers, `default` is not notified.
 */
export function handlerNames(check: CheckAttributes): readonly string[] {
  const contacts = namesFromAttributes(check['contacts'], check['contact']) ?? [];
  const hasContactsOrPipelines = contacts.length > 0 || pipelineRefs(check).length > 0;
  const handlers =
    namesFromAttributes(check['handlers'], check['handler']) ?? (hasContactsOrPipelines ? [] : [DEFAULT_HANDLER]);
  return contacts.length === 0 ? handlers : [...new Set([...handlers, ...contacts])];
}

/**
 * Returns handler names from two attributes of a check: a list, or a single name if there is no list.
 *
 * @param plural the value of `handlers` or `contacts`; it overrides `singular` if it is a list
 * @param singular the value of `handler` or `contact`
 * @returns undefined if there is neither a list nor a name
 */
function namesFromAttributes(plural: unknown, singular: unknown): readonly string[] | undefined {
  if (Array.isArray(plural)) return plural.slice(0, HANDLER_NAMES_MAX).filter((name) => typeof name === 'string');
  return typeof singular === 'string' ? [singular] : undefined;
}

/**
 * The target of a handler name or a pipeline in a check: a handler that can run, or the reason why there is none.
 * `onCall` is the text that says who is on call, if the name was that of a schedule.
 */
export type RoutedHandler =
  | {
      readonly kind: 'handler';
      readonly name: string;
      /** The definition of the handler; undefined for a built-in handler, which has no conditions. */
      readonly definition: RunningHandler | undefined;
      readonly onCall?: string;
      readonly workflow?: never;
    }
  | {
      readonly kind: 'unknown_handler' | 'nested_set';
      readonly name: string;
      readonly onCall?: string;
      readonly workflow?: never;
    }
  | {
      readonly kind: 'nobody_on_call';
      readonly name: string;
      readonly reason: string;
      readonly onCall: string;
      readonly workflow?: never;
    }
  | {
      readonly kind: 'escalation';
      readonly name: string;
      readonly definition: EscalationDefinition;
      readonly onCall?: string;
      readonly workflow?: never;
    }
  | RoutedWorkflow;

/** An escalation that an event is routed to. */
export type RoutedEscalation = Extract<RoutedHandler, { readonly kind: 'escalation' }>;
/** A handler name or pipeline that leads neither to a handler nor to an escalation. */
export type UnroutableHandler = Exclude<RoutedHandler, { readonly kind: 'handler' | 'escalation' }>;

/**
 * Maximum nesting of handler sets: a set may contain sets, but a set within those inner sets is not expanded
 * (completion 1.8).
 */
const SET_DEPTH_MAX = 2;

/**
 * Looks up handlers by name, and replaces each handler set by its members. All attributes of a set except `handlers`
 * are ignored. A handler that is named more than once is returned once (completion 1.8).
 *
 * Replaces `on-call/NAME` by the handlers of the person on call. For the resolution of a problem, it stands for those
 * handlers of all people of the schedule that were notified of the problem, because somebody else may be on call now
 * (on-call 3).
 *
 * @param wasNotified for the resolution of a problem: returns true if a handler was notified of the problem
 */
export function routeHandlers(
  names: readonly string[],
  definitions: HandlingDefinitions,
  wasNotified?: (handler: string) => boolean,
): readonly RoutedHandler[] {
  const routed = new Map<string, RoutedHandler>();

  /** Adds what a name stands for. Returns false if that is nothing. */
  function add(name: string, depth: number, onCall?: string): boolean {
    const definition = definitions.handler(name);
    const schedule = definition === undefined && onCall === undefined ? onCallScheduleOf(name) : undefined;
    const target = schedule === undefined ? undefined : definitions.onCall?.(schedule);
    if (target !== undefined) return addOnCall(name, target, depth);
    if (definition?.type === 'set') {
      if (depth >= SET_DEPTH_MAX) return addHandler({ kind: 'nested_set', name }, onCall);
      return definition.handlers.filter((member) => add(member, depth + 1, onCall)).length > 0;
    }
    if (definition?.type === 'escalation') return addHandler({ kind: 'escalation', name, definition }, onCall);
    const isDefined = definition !== undefined || BUILT_IN_NAMES.handlers.has(name);
    return addHandler(isDefined ? { kind: 'handler', name, definition } : { kind: 'unknown_handler', name }, onCall);
  }

  function addOnCall(name: string, { handlers, everyone, reason }: OnCallTarget, depth: number): boolean {
    const members = wasNotified === undefined ? handlers : everyone;
    if (members.filter((member) => add(member, depth, reason)).length > 0) return true;
    const problem = wasNotified === undefined ? reason : NO_HANDLER_NOTIFIED_TEXT;
    return addHandler({ kind: 'nobody_on_call', name, reason: problem, onCall: reason });
  }

  /** Adds a handler. One that was found through a schedule stays so, because the route then depends on the time. */
  function addHandler(handler: Exclude<RoutedHandler, { readonly workflow: object }>, onCall?: string): boolean {
    if (onCall !== undefined && wasNotified?.(handler.name) === false) return false;
    if (onCall !== undefined) routed.set(handler.name, { ...handler, onCall });
    else if (!routed.has(handler.name)) routed.set(handler.name, handler);
    return true;
  }

  for (const name of names) add(name, 0);
  return [...routed.values()];
}

/** True if a handler was found through a schedule, so that its route depends on the time. */
export function isOnCall(handler: RoutedHandler): boolean {
  return 'onCall' in handler;
}

/** True if a check has `handle: false`: no handler is notified of its events. */
export function isHandlingDisabled(check: CheckAttributes): boolean {
  return check['handle'] === false;
}

/** True if a name or pipeline in a check leads to a handler or an escalation. */
export function isRoutable(routed: RoutedHandler): routed is Exclude<RoutedHandler, UnroutableHandler> {
  return routed.kind === 'handler' || routed.kind === 'escalation';
}

/** Returns the verdict for a handler name or pipeline that leads to no handler, such as `unknown_handler`. */
export function unroutableVerdict(routed: UnroutableHandler): HandlerVerdict {
  const reason =
    'reason' in routed
      ? routed.reason
      : routed.kind === 'unknown_handler'
        ? unknownHandlerReason(routed.name)
        : 'handler sets cannot be nested deeper than two levels';
  const isReasonComplete = routed.kind === 'nobody_on_call' || !('onCall' in routed) || routed.onCall === undefined;
  return {
    ...handlerIdentity(routed),
    verdict: routed.kind,
    reason: isReasonComplete ? reason : `${reason}; ${routed.onCall}`,
  };
}

function unknownHandlerReason(name: string): string {
  const schedule = onCallScheduleOf(name);
  return schedule === undefined ? 'no handler with this name is defined' : undefinedScheduleText(schedule);
}

/**
 * Returns the fields that identify a handler in a verdict: its name and, if a pipeline names the handler, the workflow
 * of the pipeline.
 */
export function handlerIdentity({ name, workflow }: RoutedHandler): Pick<HandlerVerdict, 'handler' | 'workflow'> {
  return workflow === undefined ? { handler: name } : { handler: name, workflow };
}

/** True if a handler has `group_by`, so that one notification for it can contain many events. */
export function isGroupingHandler(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.group_by !== undefined;
}

/**
 * True if a handler is notified when an operator acknowledges a problem, because its preset shows acknowledgements. A
 * handler with `group_by` is not: its incident stands for many problems.
 */
export function showsAcknowledgements(handler: RoutedHandler): boolean {
  if (handler.kind !== 'handler' || handler.definition?.type !== 'webhook') return false;
  const { preset, group_by: groupBy } = handler.definition;
  return groupBy === undefined && presetTraits(preset).showsAcknowledgements === true;
}

/** True if silences suppress events for a handler, because it does not have `handle_silenced: true`. */
export function respectsSilences(handler: RoutedHandler): boolean {
  return handler.kind !== 'handler' || handler.definition?.handle_silenced !== true;
}

/** True if a handler gets events in the v2 format: it has `event_format: core`. */
export function getsV2Events(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.event_format === 'core';
}
