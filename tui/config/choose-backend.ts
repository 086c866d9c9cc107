import { MonError } from '../../shared/errors.ts';
import { DEFAULT_BACKEND, type Arguments } from './arguments.ts';
import { ALL_CONTEXTS } from '../model/backend-names.ts';
import { findNearest } from '../../shared/domain/nearest.ts';
import type { ConsoleConfig, ContextConfig } from './console-config.ts';

/** The backend to show first: a URL, or a context of the configuration file. */
export type BackendChoice =
  | { readonly kind: 'url'; readonly backend: string }
  /** The backends of all contexts, shown as one list. */
  | { readonly kind: 'all' }
  | { readonly kind: 'context'; readonly name: string; readonly context: ContextConfig };

/**
 * Returns the backend to connect to. The command line overrides the environment, and the environment overrides the
 * configuration file.
 *
 * @throws MonError `not_found` when the configuration file has no context of that name
 */
export function chooseBackend(
  { backend, context }: Pick<Arguments, 'backend' | 'context'>,
  env: Readonly<Record<string, string | undefined>>,
  config: ConsoleConfig,
): BackendChoice {
  if (backend !== undefined) return { kind: 'url', backend };
  if (context === ALL_CONTEXTS) return { kind: 'all' };
  if (context !== undefined) return { kind: 'context', name: context, context: findContext(config, context) };
  const { MON_BACKEND: fromEnv = '' } = env;
  if (fromEnv !== '') return { kind: 'url', backend: fromEnv };
  if (config.context === undefined) return { kind: 'url', backend: DEFAULT_BACKEND };
  if (config.context === ALL_CONTEXTS) return { kind: 'all' };
  return { kind: 'context', name: config.context, context: findContext(config, config.context) };
}

/**
 * Returns the context with this name from the configuration file.
 *
 * @throws MonError `not_found` when the configuration file has no context of that name
 */
export function findContext({ contexts }: Pick<ConsoleConfig, 'contexts'>, name: string): ContextConfig {
  const context = contexts.get(name);
  if (context !== undefined) return context;
  const names = [...contexts.keys()];
  const suggestion = findNearest(name, names);
  const hint = names.length === 0 ? 'the configuration file has none' : `use one of ${names.join(', ')}`;
  throw new MonError(
    'not_found',
    `there is no context ${JSON.stringify(name)}: ${suggestion === undefined ? hint : `did you mean ${suggestion}?`}`,
  );
}
