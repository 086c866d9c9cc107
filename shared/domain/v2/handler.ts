import type { V2Handler } from '../../schemas/v2/handler.ts';
import { validVariables } from '../../schemas/environment.ts';
import { handlerSchema, type HandlerDefinition } from '../../schemas/handler.ts';
import { problemsOf } from '../../schemas/problems.ts';
import { templateRemarks } from '../message/message-renderer.ts';
import { DEFINITION_REDACT_KEYS, redact } from '../redact.ts';
import { commandOfV2, shownCommand } from './definition-command.ts';
import { isUntranslatable, type UntranslatableObject } from './problem.ts';
import { CONFIGURED_ANNOTATIONS } from './source.ts';

/** The name of the built-in filter by which a v2 handler does not get silenced events. */
export const NOT_SILENCED_FILTER = 'not_silenced';

/**
 * Converts a handler of the v2 API to the internal definition. A v2 handler gets events in the v2 format. It always
 * gets flapping events, and silenced ones unless it lists the filter `not_silenced`. Attributes under `mon`, which
 * exist only in mon, override the others.
 */
export function handlerDefinitionOf(handler: V2Handler): HandlerDefinition | UntranslatableObject {
  const { type, socket, handlers, filters, mutator, timeout, env_vars: envVars, mon } = handler;
  const command = commandOfV2(handler);
  if (isUntranslatable(command)) return command;
  const filterNames = filters ?? [];
  const variables = validVariables(envVars);
  const definition =
    type === 'set'
      ? { type, handlers: handlers ?? [] }
      : {
          type,
          ...(command === '' ? {} : { command }),
          ...(socket ? { socket } : {}),
          ...(timeout ? { timeout } : {}),
          ...(mutator ? { mutator } : {}),
          ...(variables.length > 0 ? { env_vars: variables } : {}),
          ...conditionsOfFilters(filterNames),
          event_format: 'core',
        };
  const parsed = handlerSchema.safeParse({ ...definition, ...mon });
  if (!parsed.success) return { problem: problemsOf(parsed.error) };
  const broken = templateRemarks(parsed.data).find(({ isBroken }) => isBroken);
  return broken === undefined ? parsed.data : { problem: `mon.templates.${broken.name}: ${broken.message}` };
}

/**
 * Converts the filters of a v2 handler to internal attributes. The handler always gets flapping events, and silenced
 * ones unless it lists the filter `not_silenced`.
 */
export function conditionsOfFilters(filters: readonly string[]): {
  readonly filters: string[];
  readonly handle_silenced: boolean;
  readonly handle_flapping: true;
} {
  return {
    filters: filters.filter((name) => name !== NOT_SILENCED_FILTER),
    handle_silenced: !filters.includes(NOT_SILENCED_FILTER),
    handle_flapping: true,
  };
}

/** Attributes that v1 and v2 handlers share. All other attributes of a configured handler are shown under `mon`. */
const SHARED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'command',
  'socket',
  'timeout',
  'mutator',
  'handlers',
  'env_vars',
]);

/** Converts a handler from a configuration file to its v2 form. */
export function v2HandlerOf(namespace: string, name: string, definition: HandlerDefinition): V2Handler {
  const shown = redact(definition, DEFINITION_REDACT_KEYS);
  const { type } = shown;
  const isShared = type === 'pipe' || type === 'tcp' || type === 'udp' || type === 'set';
  const { command, mon } = type === 'pipe' ? shownCommand(shown.command) : { command: '' };
  const own = {
    ...Object.fromEntries(
      Object.entries(shown).filter(([key]) => !SHARED_ATTRIBUTES.has(key) && !(key === 'type' && isShared)),
    ),
    ...mon,
  };
  const filters = type === 'set' ? [] : (shown.filters ?? (shown.filter === undefined ? [] : [shown.filter]));
  const isKept = type !== 'set' && (type === 'escalation' || shown.handle_silenced !== true);
  return {
    metadata: { name, namespace, labels: null, annotations: CONFIGURED_ANNOTATIONS },
    type: isShared ? type : 'pipe',
    command,
    timeout: 'timeout' in shown && typeof shown.timeout === 'number' ? Math.ceil(shown.timeout) : 0,
    ...(type === 'tcp' || type === 'udp' ? { socket: shown.socket } : {}),
    handlers: type === 'set' ? shown.handlers : null,
    filters: isKept ? [NOT_SILENCED_FILTER, ...filters] : filters,
    mutator: type === 'set' || type === 'escalation' ? '' : (shown.mutator ?? ''),
    env_vars: null,
    runtime_assets: null,
    ...(Object.keys(own).length === 0 ? {} : { mon: own }),
  };
}
