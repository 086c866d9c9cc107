import type { V2Handler } from '../../schemas/v2/handler.ts';
import { variablesOf } from '../../schemas/environment.ts';
import { handlerSchema, type HandlerDefinition } from '../../schemas/handler.ts';
import { problemsOf } from '../../schemas/problems.ts';
import { templateRemarks } from '../message/told.ts';
import { DEFINITION_REDACT_KEYS, redact } from '../redact.ts';
import { commandOfV2, shownCommand } from './definition-command.ts';
import { isUntranslatable, type Untranslatable } from './problem.ts';
import { CONFIGURED } from './source.ts';

/** The filter by which a handler of version 2 asks to be kept from silenced events. */
const NOT_SILENCED = 'not_silenced';

/**
 * A handler of version 2 as the definition that the backend works by. There a handler gets silenced events unless it
 * lists the filter `not_silenced`, and flapping ones like any other; so the one without that filter says
 * `handle_silenced: true` here, and every one `handle_flapping: true`. It reads events in the form of that API. What stands
 * under `mon` is ours and wins.
 */
export function handlerDefinitionOf(handler: V2Handler): HandlerDefinition | Untranslatable {
  const { type, socket, handlers, filters, mutator, timeout, env_vars: envVars, mon } = handler;
  const command = commandOfV2(handler);
  if (isUntranslatable(command)) return command;
  const wanted = filters ?? [];
  const variables = variablesOf(envVars);
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
          ...conditionsOfFilters(wanted),
          event_format: 'core',
        };
  const parsed = handlerSchema.safeParse({ ...definition, ...mon });
  if (!parsed.success) return { problem: problemsOf(parsed.error) };
  const broken = templateRemarks(parsed.data).find(({ isBroken }) => isBroken);
  return broken === undefined ? parsed.data : { problem: `mon.templates.${broken.name}: ${broken.message}` };
}

/**
 * The attributes of a handler that stand for its filters of version 2. There a handler gets silenced events unless it
 * lists the filter `not_silenced`, and it gets flapping ones like any other.
 */
export function conditionsOfFilters(filters: readonly string[]): {
  readonly filters: string[];
  readonly handle_silenced: boolean;
  readonly handle_flapping: true;
} {
  return {
    filters: filters.filter((name) => name !== NOT_SILENCED),
    handle_silenced: !filters.includes(NOT_SILENCED),
    handle_flapping: true,
  };
}

/** What version 2 has a place for; everything else of a handler of the configuration stands under `mon`. */
const SHARED: ReadonlySet<string> = new Set(['command', 'socket', 'timeout', 'mutator', 'handlers', 'env_vars']);

/** A handler of the configuration as version 2 shows it. */
export function v2HandlerOf(namespace: string, name: string, definition: HandlerDefinition): V2Handler {
  const shown = redact(definition, DEFINITION_REDACT_KEYS);
  const { type } = shown;
  const isShared = type === 'pipe' || type === 'tcp' || type === 'udp' || type === 'set';
  const { command, mon } = type === 'pipe' ? shownCommand(shown.command) : { command: '' };
  const own = {
    ...Object.fromEntries(Object.entries(shown).filter(([key]) => !SHARED.has(key) && !(key === 'type' && isShared))),
    ...mon,
  };
  const filters = type === 'set' ? [] : (shown.filters ?? (shown.filter === undefined ? [] : [shown.filter]));
  const isKept = type !== 'set' && shown.handle_silenced !== true;
  return {
    metadata: { name, namespace, labels: null, annotations: CONFIGURED },
    type: isShared ? type : 'pipe',
    command,
    timeout: 'timeout' in shown && typeof shown.timeout === 'number' ? Math.ceil(shown.timeout) : 0,
    ...(type === 'tcp' || type === 'udp' ? { socket: shown.socket } : {}),
    handlers: type === 'set' ? shown.handlers : null,
    filters: isKept ? [NOT_SILENCED, ...filters] : filters,
    mutator: type === 'set' ? '' : (shown.mutator ?? ''),
    env_vars: null,
    runtime_assets: null,
    ...(Object.keys(own).length === 0 ? {} : { mon: own }),
  };
}
