import type { HandlerVerdict } from '../../schemas/explain.ts';
import type { HandlerDefinition, RunningHandler } from '../../schemas/handler.ts';
import type { MutatorDefinition } from '../../schemas/mutator.ts';
import { BUILT_IN } from '../built-in.ts';
import type { EventFilter } from '../filter-event.ts';
import type { V2EventFilter } from '../v2/filter.ts';
import { pipelineRefs, type RoutedWorkflow } from '../v2/pipeline.ts';

/* The first stage: the handlers that the check of an event names, with sets expanded. */

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

/** Whether a handler groups events. */
export function isGrouping(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.group_by !== undefined;
}

/** Whether silences suppress events for a handler. */
export function heedsSilences(handler: RoutedHandler): boolean {
  return handler.kind !== 'handler' || handler.definition?.handle_silenced !== true;
}

/** Whether a handler gets events in the v2 format. */
export function getsV2Events(handler: RoutedHandler): boolean {
  return handler.kind === 'handler' && handler.definition?.event_format === 'core';
}
