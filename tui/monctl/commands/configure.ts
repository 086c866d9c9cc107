import { valueOption } from '../flags.ts';
import { resolve } from 'node:path';
import { openV2Client } from '../../../shared/client/v2-client.ts';
import { parseBackendAddresses, type CredentialsEnv } from '../../../shared/client/backend-address.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { configPath } from '../../config/config-file.ts';
import type { StoredSecret, saveContext } from '../../config/save-context.ts';
import { tlsFlags } from '../choose-backend.ts';
import type { CommandCall, Command } from '../command.ts';
import { DEFAULT_BACKEND } from '../parse-arguments.ts';
import { readSecret, secretOption } from '../secret.ts';

/** Name of the context that is saved if `--context` is not given. */
const CONTEXT_DEFAULT = 'default';

export const configureCommand: Command = {
  words: ['configure'],
  summary: 'Save a backend URL and credentials in the configuration file',
  details: [
    'monctl prompts for missing values. The backend is saved as the context that --context names, and becomes the default for monctl and the console.',
    'The configuration file is $XDG_CONFIG_HOME/mon/console.yml, else ~/.config/mon/console.yml. The secret is stored in a separate file next to this file, with mode 0600.',
    'Nothing is written unless the backend accepts the credentials or needs no credentials.',
  ],
  options: {
    user: valueOption('NAME', 'user name'),
    'password-file': secretOption('password'),
    'api-key-file': secretOption('API key'),
    namespace: valueOption('NAME', 'namespace to save in the context; default: "default"', { completes: 'namespace' }),
  },
  isLocal: true,
  examples: [
    ['monctl configure --context prod --backend https://mon.example.org --user alice', 'prompts for the password'],
    ['monctl configure --context ci --backend https://mon.test --api-key-file key', 'in a script'],
  ],
  async run(call) {
    const { flags, env, output } = call;
    const name = flags.value('context') ?? CONTEXT_DEFAULT;
    const addresses = flags.value('backend') ?? (await askForBackend(call));
    // Everybody may be able to read the configuration file, so the URL in it must not contain credentials.
    const listed = parseBackendAddresses(addresses, {});
    const url = listed.map((address) => address.url).join(',');
    if (listed.some(({ headers }) => 'authorization' in headers)) {
      throw new MonError('invalid', 'do not put credentials into the URL: use --user or --api-key-file');
    }
    const secret = await secretOf(call);
    await verify(url, secret, { ...tlsEnvironment(env), ...tlsFlags(flags) });
    const path = configPath(env);
    const { saveContext: save } = await import('../../config/save-context.ts');
    await save(path, name, { backend: url, namespace: flags.value('namespace'), secret, tls: keptTls(call) });
    await output.show({ context: name, backend: url, file: path }, () =>
      safeText(`the context ${name} for ${url} is in ${path}`),
    );
  },
};

/** Returns the TLS options to save in the context: those of the command line, but not those of the environment. */
function keptTls({ flags }: CommandCall): Parameters<typeof saveContext>[2]['tls'] {
  const file = flags.value('trusted-ca-file');
  return {
    ...(file === undefined ? {} : { 'trusted-ca-file': resolve(file) }),
    ...(flags.switch('insecure-skip-tls-verify') === true ? { 'insecure-skip-tls-verify': true } : {}),
  };
}

function tlsEnvironment({ MON_TRUSTED_CA_FILE, MON_INSECURE_SKIP_TLS_VERIFY }: CommandCall['env']): CredentialsEnv {
  return { MON_TRUSTED_CA_FILE, MON_INSECURE_SKIP_TLS_VERIFY };
}

async function askForBackend({ ask }: CommandCall): Promise<string> {
  if (ask === undefined) throw new MonError('invalid', 'set the backend: --backend URL');
  return (await ask(`backend [${DEFAULT_BACKEND}]: `)).trim() || DEFAULT_BACKEND;
}

async function secretOf(call: CommandCall): Promise<StoredSecret | undefined> {
  const { flags, ask } = call;
  const user = flags.value('user');
  if (flags.value('api-key-file') !== undefined) {
    if (user !== undefined) throw new MonError('invalid', 'use --user or --api-key-file, not both');
    return { key: await readSecret(call, { option: 'api-key-file', what: 'API key' }) };
  }
  const userName = user ?? (ask === undefined ? '' : (await ask('user (empty for an API key): ')).trim());
  if (userName !== '') {
    return {
      user: userName,
      password: await readSecret(call, { option: 'password-file', what: `password of ${userName}` }),
    };
  }
  const key = ask === undefined ? '' : (await ask('API key (empty for none): ', true)).trim();
  return key === '' ? undefined : { key };
}

/**
 * Verifies that the backend accepts the credentials.
 *
 * @throws MonError `unauthenticated` when the backend rejects them
 */
async function verify(backend: string, secret: StoredSecret | undefined, tls: CredentialsEnv): Promise<void> {
  if (!(await openV2Client({ backend, env: { ...credentialsOf(secret), ...tls } }).testCredentials())) {
    throw new MonError('unauthenticated', `${backend} rejected these credentials: nothing was written`);
  }
}

function credentialsOf(secret: StoredSecret | undefined): CredentialsEnv {
  if (secret === undefined) return {};
  return 'key' in secret ? { MON_API_KEY: secret.key } : { MON_CREDENTIALS: `${secret.user}:${secret.password}` };
}
