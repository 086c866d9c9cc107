import { tlsVariables, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { MonError } from '../../shared/errors.ts';
import { chooseBackend } from '../config/choose-backend.ts';
import { loadConfig } from '../config/config-file.ts';
import { EMPTY_CONFIG } from '../config/console-config.ts';
import { resolveContext } from '../config/resolve-context.ts';
import type { Flags } from './flags.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a call goes, and with what it is let in. */
export interface ChosenBackend {
  /** As it was given, credentials and all. */
  readonly backend: string;
  /** Where credentials are that the URL does not hold. */
  readonly env: CredentialsEnv;
  /** The namespace that the context is set to; undefined: none. */
  readonly namespace: string | undefined;
  /** Old names in the contexts of the configuration file. */
  readonly warnings: readonly string[];
}

/**
 * The command line decides before the environment, and that before the context of the configuration file, which the
 * console reads too.
 *
 * @throws MonError when the context or the configuration file cannot be used
 */
export async function chosenBackend(
  given: { readonly backend: string | undefined; readonly context: string | undefined },
  env: Env,
): Promise<ChosenBackend> {
  const asked = given.backend ?? (given.context === undefined ? env['MON_BACKEND'] || undefined : undefined);
  // Only who leaves it to the file waits for it to be read.
  const loaded = asked === undefined ? await loadConfig(undefined, env) : { path: '', config: EMPTY_CONFIG };
  if ('problem' in loaded) throw new MonError('invalid', loaded.problem);
  const warnings = loaded.config.warnings.flatMap(({ section, text }) => (section.startsWith('context') ? [text] : []));
  const choice = chooseBackend({ backend: asked, context: given.context }, env, loaded.config);
  switch (choice.kind) {
    case 'url':
      return { backend: choice.backend, env, namespace: undefined, warnings };
    case 'all':
      throw new MonError('invalid', 'a command needs a single backend: choose a context with --context NAME');
    case 'context':
      return {
        ...(await resolveContext(choice.name, choice.context, env)),
        namespace: choice.context.namespace,
        warnings,
      };
  }
}

/** What the command line says about TLS, over what the environment and a context say. */
export function tlsFlags(flags: Pick<Flags, 'value' | 'switch'>): CredentialsEnv {
  return tlsVariables({
    trustedCaFile: flags.value('trusted-ca-file'),
    isUnverified: flags.switch('insecure-skip-tls-verify'),
  });
}
