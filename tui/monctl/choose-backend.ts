import { tlsVariables, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { MonError } from '../../shared/errors.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import { chooseBackend } from '../config/choose-backend.ts';
import { readConsoleConfig, loginDirectory } from '../config/config-file.ts';
import { EMPTY_CONFIG } from '../config/console-config.ts';
import { resolveContext } from '../config/resolve-context.ts';
import type { Flags } from './flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The backend that a command line selects, with the credentials for it. */
export interface ChosenBackend {
  /** URL of the backend as the user wrote it, which may contain credentials. */
  readonly backend: string;
  /** Environment variables with the credentials and TLS options that the URL does not contain. */
  readonly env: CredentialsEnv;
  /** The namespace of the context; `undefined` if it has none. */
  readonly namespace: string | undefined;
  /** The zone that the configuration file sets; `undefined` for the zone of the process. */
  readonly timeZone: string | undefined;
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
  env: Environment,
): Promise<ChosenBackend> {
  const requestedBackend =
    options.backend ?? (options.context === undefined ? env['MON_BACKEND'] || undefined : undefined);
  const loaded = await readConsoleConfig(undefined, env);
  // If `--backend`, or `MON_BACKEND` without `--context`, gives the URL, an invalid file does not stop the command.
  if ('problem' in loaded && requestedBackend === undefined) throw new MonError('invalid', loaded.problem);
  const config = 'problem' in loaded ? EMPTY_CONFIG : loaded.config;
  const warnings = config.warnings.flatMap(({ section, text }) =>
    section.startsWith('context') && requestedBackend === undefined ? [text] : [],
  );
  const timeZone = timeZoneOf(config['time-zone'] ?? '');
  const choice = chooseBackend({ backend: requestedBackend, context: options.context }, env, config);
  switch (choice.kind) {
    case 'url':
      return {
        backend: choice.backend,
        env: { ...env, MON_LOGIN_DIR: loginDirectory(env) },
        namespace: undefined,
        timeZone,
        warnings,
      };
    case 'all':
      throw new MonError('invalid', 'this command works with only one backend: select a context with --context NAME');
    case 'context':
      return {
        ...(await resolveContext(choice.name, choice.context, env)),
        namespace: choice.context.namespace,
        timeZone,
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
