import { parseConditions } from '../../../shared/domain/attribute-conditions.ts';
import { BUILT_IN_NAMES } from '../../../shared/domain/built-in.ts';
import { proxyRequestWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import { templateRemarks } from '../../../shared/domain/message/message-renderer.ts';
import { V1_EVENT } from '../../../shared/domain/attribute-shapes.ts';
import { SHELL_TOKENS_WARNING, findShellTokens } from '../../../shared/domain/shell-tokens.ts';
import { routeHandlers } from '../../../shared/domain/notify/route.ts';
import { conditionWarnings } from '../../../shared/domain/unknown-attributes.ts';
import { onCallScheduleOf } from '../../../shared/schemas/on-call.ts';
import type { FilterDefinition } from '../../../shared/schemas/filter.ts';
import type { EscalationDefinition, HandlerDefinition } from '../../../shared/schemas/handler.ts';
import { secondsOfDay, type TimeWindows } from '../../../shared/schemas/time-window.ts';
import type { ValidDefinitions } from '../model/config/valid-definitions.ts';
import type { Remark } from '../../settings/remark.ts';

/**
 * The attributes of a definition that name handlers, filters and mutators. If both forms are present, the plural
 * overrides the singular (completion 1.8).
 */
interface DefinitionReferences {
  readonly handler?: unknown;
  readonly handlers?: unknown;
  /** Contacts are names of handlers too (see `handlerNames`). */
  readonly contact?: unknown;
  readonly contacts?: unknown;
  readonly filter?: unknown;
  readonly filters?: unknown;
  readonly mutator?: unknown;
}

/**
 * Yields warnings about definitions that are valid but unlikely to work as intended: unknown names, unknown attributes,
 * time windows that end on the next day, tokens in shell commands. Tokens of standalone checks are skipped, because the
 * agent replaces them from its own configuration.
 */
export function* configuredDefinitionWarnings(definitions: ValidDefinitions): Generator<Remark> {
  const { checks, handlers, filters, keepalives } = definitions;
  yield* undefinedNames(['sensu', 'keepalives'], keepalives, definitions);
  for (const [name, check] of checks) {
    yield* undefinedNames(['checks', name], check, definitions);
    const risky = check.standalone === true ? undefined : findShellTokens(check, false);
    if (risky !== undefined) yield { path: ['checks', name, ...risky], message: SHELL_TOKENS_WARNING };
    for (const message of proxyRequestWarnings(check.proxy_requests)) {
      yield { path: ['checks', name, 'proxy_requests', 'entity_attributes'], message };
    }
    if (check.subdue !== undefined) yield* windowWarnings(['checks', name, 'subdue'], check.subdue);
  }
  for (const [name, handler] of handlers) {
    yield* undefinedNames(['handlers', name], handler, definitions);
    if (handler.type === 'escalation') yield* escalationWarnings(['handlers', name], handler, definitions);
    if (handler.type === 'set') yield* nestedSets(['handlers', name], handler.handlers, handlers);
    yield* templateWarnings(['handlers', name, 'templates'], handler);
    if ('subdue' in handler) {
      yield { path: ['handlers', name, 'subdue'], message: 'has no effect on a handler: use a filter with "when"' };
    }
  }
  for (const [name, { attributes, when }] of filters) {
    yield* unknownAttributes(['filters', name, 'attributes'], attributes);
    if (when !== undefined) yield* windowWarnings(['filters', name, 'when'], when);
  }
}

function* templateWarnings(path: readonly string[], handler: HandlerDefinition): Generator<Remark> {
  for (const { name, message, isBroken } of templateRemarks(handler)) {
    yield {
      path: [...path, name],
      message: isBroken ? `${message}; the default text is sent instead: fix it` : message,
    };
  }
}

function* unknownAttributes(path: readonly string[], attributes: FilterDefinition['attributes']): Generator<Remark> {
  const conditions = parseConditions(attributes);
  if (conditions.kind === 'problems') return;
  for (const warning of conditionWarnings(conditions, V1_EVENT)) {
    yield { path: [...path, ...warning.path], message: warning.message };
  }
}

function* undefinedNames(
  path: readonly string[],
  named: DefinitionReferences,
  definitions: ValidDefinitions,
): Generator<Remark> {
  for (const [kind, section, names] of [
    ['handler', 'handlers', [named.handler, named.handlers, named.contact, named.contacts]],
    ['filter', 'filters', [named.filter, named.filters]],
    ['mutator', 'mutators', [named.mutator]],
  ] as const) {
    for (const name of new Set(names.flat())) {
      if (typeof name !== 'string' || definitions[section].has(name) || BUILT_IN_NAMES[section].has(name)) continue;
      const schedule = kind === 'handler' ? onCallScheduleOf(name) : undefined;
      if (schedule !== undefined && definitions.schedules.has(schedule)) continue;
      yield {
        path,
        message:
          schedule === undefined
            ? `refers to the ${kind} "${name}", which is not defined`
            : `refers to the schedule "${schedule}", which is not defined`,
      };
    }
  }
}

/**
 * Warns about handler sets nested more than two levels deep. A set may contain a set, but the handlers of a third level
 * do not run (completion 1.8).
 */
function* nestedSets(
  path: readonly string[],
  members: readonly string[],
  handlers: ReadonlyMap<string, HandlerDefinition>,
): Generator<Remark> {
  const setsIn = (names: readonly string[]): HandlerDefinition[] =>
    names.flatMap((name) => handlers.get(name) ?? []).filter(({ type }) => type === 'set');
  for (const inner of setsIn(members)) {
    if (inner.type !== 'set' || setsIn(inner.handlers).length === 0) continue;
    yield { path, message: 'handler sets cannot be deeply nested: a set that is two levels below this set is ignored' };
    return;
  }
}

/** Warns about escalations that name undefined handlers or other escalations, which they cannot notify. */
function* escalationWarnings(
  path: readonly string[],
  { steps }: EscalationDefinition,
  definitions: ValidDefinitions,
): Generator<Remark> {
  const names = [...new Set(steps.flatMap(({ notify }) => notify))];
  yield* undefinedNames(path, { handlers: names }, definitions);
  const routed = routeHandlers(names, {
    handler: (name) => definitions.handlers.get(name),
    filter: () => undefined,
    mutator: () => undefined,
  });
  for (const { kind, name } of routed) {
    if (kind === 'escalation') yield { path, message: `cannot notify "${name}", because it is an escalation too` };
  }
}

/**
 * Warns about time windows that end before they begin. Such a window starts on the named day and ends on the next day,
 * which can surprise operators (completion, Decisions).
 */
function* windowWarnings(path: readonly string[], { days }: TimeWindows): Generator<Remark> {
  for (const [day, windows] of Object.entries(days)) {
    for (const [at, { begin, end }] of windows.entries()) {
      if (day === 'all' || (secondsOfDay(end) ?? 0) >= (secondsOfDay(begin) ?? 0)) continue;
      yield {
        path: [...path, 'days', day, String(at)],
        message: `end is before begin, so the time window runs from ${day} ${begin} to ${end} on the next day`,
      };
    }
  }
}
