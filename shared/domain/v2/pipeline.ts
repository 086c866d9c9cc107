import type { EscalationDefinition, HandlerDefinition, RunningHandler } from '../../schemas/handler.ts';
import type { V2Pipeline, V2Workflow } from '../../schemas/v2/pipeline.ts';
import { onCallScheduleOf } from '../../schemas/on-call.ts';
import { isAttributes } from '../attributes.ts';
import { BUILT_IN_NAMES } from '../built-in.ts';
import { conditionsOfFilters, NOT_SILENCED_FILTER } from './handler.ts';

/*
 * Each workflow of a pipeline becomes a handler with the name PIPELINE#WORKFLOW. It is a copy of the handler that the
 * workflow names, but with the filters and the mutator of the workflow. Queues, dead letters, groups and explanations
 * identify handlers by name, so their code needs no special case for pipelines. Names in the v2 API cannot contain `#`.
 */

const NAME_SEPARATOR = '#';

/** The internal form of a pipeline: a named list of workflows (filter, mutator and handler). */
export interface PipelineDefinition {
  readonly name: string;
  readonly workflows: readonly WorkflowDefinition[];
}

export interface WorkflowDefinition {
  /** Unique within the pipeline. */
  readonly name: string;
  readonly filters: readonly string[];
  readonly mutator: string | undefined;
  readonly handler: string;
  /** The API version and type of the handler if the type is not supported here; undefined if it is supported. */
  readonly foreignType: string | undefined;
}

/** The workflow for which a handler runs. */
export interface WorkflowRef {
  /** The name of the pipeline. */
  readonly pipeline: string;
  readonly workflow: string;
  /** Name of the handler: the one that the workflow names or, if that is a set, a member of the set. */
  readonly handler: string;
}

/** The target of a pipeline or a workflow: a handler that can be run, or the reason why there is none. */
export type RoutedWorkflow =
  | {
      readonly kind: 'handler';
      readonly name: string;
      readonly definition: RunningHandler;
      readonly onCall?: string;
      readonly workflow: WorkflowRef;
    }
  | {
      readonly kind: 'escalation';
      readonly name: string;
      readonly definition: EscalationDefinition;
      readonly onCall?: string;
      readonly workflow: WorkflowRef;
    }
  | {
      readonly kind: 'unknown_handler' | 'nested_set' | 'nobody_on_call' | 'unknown_pipeline' | 'empty_pipeline';
      readonly name: string;
      readonly reason: string;
      /** The text that says who is on call, if the handler was found through a schedule. */
      readonly onCall?: string;
      readonly workflow?: WorkflowRef;
    };

/** The handlers that `on-call/NAME` stands for at the current time (on-call 3). */
export interface OnCallTarget {
  /** Names of the handlers of the person on call; empty if nobody is on call. */
  readonly handlers: readonly string[];
  /** Names of the handlers of all people of the schedule. */
  readonly everyone: readonly string[];
  /** The text for users that says who is on call. */
  readonly reason: string;
}

/** Access to the defined pipelines and handlers by name. */
export interface PipelineSource {
  pipeline(name: string): PipelineDefinition | undefined;
  /** Returns the defined handler of this name, but never one that was made from a workflow. */
  handler(name: string): HandlerDefinition | undefined;
  /** Returns what `on-call/NAME` stands for; absent where there are no schedules. */
  onCall?(schedule: string): OnCallTarget | undefined;
}

export function pipelineDefinitionOf({ metadata: { name }, workflows }: V2Pipeline): PipelineDefinition {
  const names = new Set<string>();
  return { name, workflows: (workflows ?? []).map((workflow) => workflowOf(workflow, names)) };
}

/** @param taken names of the preceding workflows; a duplicate name, which Sensu Go allows, gets a number */
function workflowOf({ name: baseName, filters, mutator, handler }: V2Workflow, taken: Set<string>): WorkflowDefinition {
  let name = baseName;
  for (let count = 2; taken.has(name); count++) name = `${baseName}:${String(count)}`;
  taken.add(name);
  return {
    name,
    filters: (filters ?? []).map((filter) => filter.name),
    mutator: mutator?.name,
    handler: handler.name,
    foreignType: handler.type === 'Handler' ? undefined : `${handler.api_version}.${handler.type}`,
  };
}

/** A reference to a pipeline in a check or event. */
interface PipelineRef {
  readonly name: string;
  /** The API version and type of the reference if the type is not supported here; undefined if it is supported. */
  readonly foreignType: string | undefined;
}

/** Maximum number of pipelines of a check that are used. A result can contain a list of any length. */
const PIPELINES_MAX = 100;

/**
 * Returns the references to pipelines in a check, without duplicates. As in Sensu Go, a reference needs no type and API
 * version.
 */
export function pipelineRefs(check: Readonly<Record<string, unknown>>): readonly PipelineRef[] {
  const { pipelines } = check;
  if (!Array.isArray(pipelines) || pipelines.length === 0) return NO_HANDLERS;
  const refs = new Map<string, PipelineRef>();
  for (const reference of pipelines.slice(0, PIPELINES_MAX)) {
    if (!isAttributes(reference) || typeof reference['name'] !== 'string' || reference['name'] === '') continue;
    const { name, type, api_version: version } = reference;
    const full = `${textOr(version, 'core/v2')}.${textOr(type, 'Pipeline')}`;
    refs.set(`${full} ${name}`, { name, foreignType: full === 'core/v2.Pipeline' ? undefined : full });
  }
  return [...refs.values()];
}

const NO_HANDLERS: readonly never[] = [];

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

/**
 * Returns the target handlers of all workflows in the pipelines of a check, in order. `on-call/NAME` is replaced as in
 * `routeHandlers`.
 *
 * @param wasNotified for the resolution of a problem: returns true if a handler was notified of the problem
 */
export function routePipelines(
  refs: readonly PipelineRef[],
  source: PipelineSource,
  wasNotified?: (handler: string) => boolean,
): readonly RoutedWorkflow[] {
  return refs.flatMap(({ name, foreignType }) => {
    if (foreignType !== undefined)
      return [unknownPipeline(name, `pipelines of the type ${foreignType} are not supported`)];
    const pipeline = source.pipeline(name);
    if (pipeline === undefined) return [unknownPipeline(name, 'no pipeline of this name is defined')];
    if (pipeline.workflows.length > 0) {
      return pipeline.workflows.flatMap((workflow) => routeWorkflow(pipeline.name, workflow, source, wasNotified));
    }
    return [{ kind: 'empty_pipeline' as const, name, reason: 'the pipeline has no workflows' }];
  });
}

function unknownPipeline(name: string, reason: string): RoutedWorkflow {
  return { kind: 'unknown_pipeline', name, reason };
}

/** The reason why `on-call/NAME` stands for no handler in the resolution of a problem. */
export const NO_HANDLER_NOTIFIED_TEXT = 'none of its people was notified of the problem';

/** Maximum nesting of handler sets: a set can contain sets, but sets within those are ignored (completion 1.8). */
const SET_DEPTH_MAX = 2;

function routeWorkflow(
  pipeline: string,
  workflow: WorkflowDefinition,
  source: Omit<PipelineSource, 'pipeline'>,
  wasNotified: ((handler: string) => boolean) | undefined,
): readonly RoutedWorkflow[] {
  const { name, handler: named, foreignType } = workflow;
  const routed = new Map<string, RoutedWorkflow>();

  function add(handler: string, depth: number, onCall?: string): void {
    const definition = source.handler(handler);
    const schedule = definition === undefined && onCall === undefined ? onCallScheduleOf(handler) : undefined;
    const target = schedule === undefined || foreignType !== undefined ? undefined : source.onCall?.(schedule);
    const ref: WorkflowRef = { pipeline, workflow: name, handler };
    const own = [pipeline, name, ...(depth === 0 && onCall === undefined ? [] : [handler])].join(NAME_SEPARATOR);
    const put = (one: RoutedWorkflow): void => {
      if (onCall === undefined) routed.set(handler, one);
      else if (wasNotified?.(own) !== false) routed.set(handler, { ...one, onCall });
    };
    if (target !== undefined) {
      const before = routed.size;
      for (const member of wasNotified === undefined ? target.handlers : target.everyone) {
        add(member, depth, target.reason);
      }
      if (routed.size > before) return;
      const reason = wasNotified === undefined ? target.reason : NO_HANDLER_NOTIFIED_TEXT;
      routed.set(handler, { kind: 'nobody_on_call', name: own, reason, onCall: target.reason, workflow: ref });
    } else if (definition?.type === 'set') {
      if (depth < SET_DEPTH_MAX) {
        for (const member of definition.handlers) add(member, depth + 1, onCall);
        return;
      }
      const reason = `the handler ${handler} is a set in a set in a set, and handler sets cannot be deeply nested`;
      put({ kind: 'nested_set', name: own, reason, workflow: ref });
    } else if (definition?.type === 'escalation' && foreignType === undefined) {
      const filters = workflow.filters.filter((filter) => filter !== NOT_SILENCED_FILTER);
      put({ kind: 'escalation', name: own, definition: { ...definition, filters }, workflow: ref });
    } else if (definition !== undefined && definition.type !== 'escalation' && foreignType === undefined) {
      const derived = workflowHandler(definition, workflow);
      put({ kind: 'handler', name: own, definition: derived, workflow: ref });
    } else {
      const reason = `the workflow ${name} refers to the handler ${handler}, ${missingText(handler, foreignType)}`;
      put({ kind: 'unknown_handler', name: own, reason, workflow: ref });
    }
  }

  add(named, 0);
  return [...routed.values()];
}

function missingText(handler: string, foreignType: string | undefined): string {
  if (foreignType !== undefined) return `and handlers of the type ${foreignType} are not supported`;
  const schedule = onCallScheduleOf(handler);
  if (schedule !== undefined) return `but ${undefinedScheduleText(schedule)}`;
  return BUILT_IN_NAMES.handlers.has(handler)
    ? 'which is built in and runs only for checks that list it in their handlers'
    : 'which is not defined';
}

/** Returns the text for users that says why there is no schedule with this name. */
export function undefinedScheduleText(schedule: string): string {
  return `no schedule ${schedule} is defined, or the event is not in the namespace default`;
}

/** Replaces the filters and the mutator of a handler by those of its workflow, as Sensu Go does. */
function workflowHandler(handler: RunningHandler, { filters, mutator }: WorkflowDefinition): RunningHandler {
  const { filter: _filter, filters: _filters, mutator: _mutator, ...own } = handler;
  return {
    ...own,
    ...conditionsOfFilters(filters),
    ...(mutator === undefined ? {} : { mutator }),
  };
}

/**
 * Returns the handler that was made from a workflow, by its name `PIPELINE#WORKFLOW`. If the workflow names a schedule,
 * the handlers of all its people are found, because a notification can be sent after a handover.
 *
 * @returns undefined if there is no such workflow, or if its handler cannot be run
 */
export function handlerOfWorkflow(
  name: string,
  source: PipelineSource,
): RunningHandler | EscalationDefinition | undefined {
  const [pipeline = '', workflow] = name.split(NAME_SEPARATOR, 2);
  if (workflow === undefined) return undefined;
  const refs = [{ name: pipeline, foreignType: undefined }];
  const routed = routePipelines(refs, source, () => true).find((one) => one.name === name);
  return routed?.kind === 'handler' || routed?.kind === 'escalation' ? routed.definition : undefined;
}
