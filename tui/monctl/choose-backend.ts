import { tlsVariables, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { MonError } from '../../shared/errors.ts';
import { chooseBackend } from '../config/choose-backend.ts';
import { readConsoleConfig } from '../config/config-file.ts';
import { EMPTY_CONFIG } from '../config/console-config.ts';
import { resolveContext } from '../config/resolve-context.ts';
import type { Flags } from './flags.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The backend that a command line selects, with the credentials for it. */
export interface ChosenBackend {
  /** URL of the backend as the user wrote it, which may contain credentials. */
  readonly backend: string;
  /** Environment variables with the credentials and TLS options that the URL does not contain. */
  readonly env: CredentialsEnv;
  /** The namespace of the context; `undefined` if it has none. */
  readonly namespace: string | undefined;
  /** Warnings about deprecated names in the contexts of the configuration file. */
  readonly warnings: readonly string[];
}

/**
 * Selects the backend of a command line. The command line overrides the environment, which overrides the default
 * context of the configuration file. monctl and the console share that file.
 *
 * @throws MonError when the context or the configuration file cannot be used
 */
export async function chosenBackend(
  options: { readonly backend: string | undefined; readonly context: string | undefined },
  env: Env,
): Promise<ChosenBackend> {
  const requestedBackend =
    options.backend ?? (options.context === undefined ? env['MON_BACKEND'] || undefined : undefined);
  // The configuration file is not read if `--backend`, or `MON_BACKEND` without `--context`, already gives the URL.
  const loaded =
    requestedBackend === undefined ? await readConsoleConfig(undefined, env) : { path: '', config: EMPTY_CONFIG };
  if ('problem' in loaded) throw new MonError('invalid', loaded.problem);
  const warnings = loaded.config.warnings.flatMap(({ section, text }) => (section.startsWith('context') ? [text] : []));
  const choice = chooseBackend({ backend: requestedBackend, context: options.context }, env, loaded.config);
  switch (choice.kind) {
    case 'url':
      return { backend: choice.backend, env, namespace: undefined, warnings };
    case 'all':
      throw new MonError('invalid', 'this command works with only one backend: select a context with --context NAME');
    case 'context':
      return {
        ...(await resolveContext(choice.name, choice.context, env)),
        namespace: choice.context.namespace,
        warnings,
      };
  }
}

/**
 * Returns the TLS options of the command line as environment variables, which override the environment and the context.
 */
export function tlsFlags(flags: Pick<Flags, 'value' | 'switch'>): CredentialsEnv {
  return tlsVariables({
    trustedCaFile: flags.value('trusted-ca-file'),
    isUnverified: flags.switch('insecure-skip-tls-verify'),
  });
}
