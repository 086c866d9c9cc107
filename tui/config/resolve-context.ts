import { open } from 'node:fs/promises';
import { parseBackendAddresses, tlsVariables, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { errorMessage, MonError } from '../../shared/errors.ts';
import { loginDirectory } from './config-file.ts';
import type { ContextConfig, ResolvedContext, SecretSource } from './console-config.ts';

/** Permission bits of all users except the owner (security S6). */
const OTHER_USERS_MODE_BITS = 0o077;

/** Maximum length of a password or key, in characters. */
const SECRET_LENGTH_MAX = 4096;

/**
 * Returns the address and the credentials of a context. Credentials of another backend are never returned.
 *
 * @param env the environment variables, from which secrets are read
 * @throws MonError `invalid` when a secret cannot be read or the address is invalid; the message never contains a
 *   secret
 */
export async function resolveContext(
  name: string,
  { backend, user, password, key, ...tlsSettings }: ContextConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ResolvedContext> {
  const credentials: Record<string, string | undefined> = { ...tlsOf(tlsSettings, env) };
  if (key !== undefined) credentials['MON_API_KEY'] = await secretOf(name, 'key', key, env);
  if (user !== undefined && password !== undefined) {
    credentials['MON_CREDENTIALS'] = `${user}:${await secretOf(name, 'password', password, env)}`;
  }
  if (key === undefined && password === undefined) credentials['MON_LOGIN_DIR'] = loginDirectory(env);
  // An invalid address is reported here, not only when the console connects.
  parseBackendAddresses(backend, credentials);
  return { backend, env: credentials };
}

/** Returns the TLS settings of a context. Settings of the environment apply to contexts that have none of their own. */
function tlsOf(
  { 'trusted-ca-file': trustedCaFile, 'insecure-skip-tls-verify': isUnverified }: Partial<ContextConfig>,
  { MON_TRUSTED_CA_FILE, MON_INSECURE_SKIP_TLS_VERIFY }: CredentialsEnv,
): CredentialsEnv {
  return { MON_TRUSTED_CA_FILE, MON_INSECURE_SKIP_TLS_VERIFY, ...tlsVariables({ trustedCaFile, isUnverified }) };
}

async function secretOf(
  context: string,
  what: string,
  source: SecretSource,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const sourceName = 'env' in source ? `$${source.env}` : source.file;
  const secret = 'env' in source ? (env[source.env] ?? '') : await fileSecret(`the ${what} of ${context}`, source.file);
  if (secret === '')
    throw new MonError('invalid', `the ${what} of ${context} is missing: ${sourceName} is empty or not set`);
  if (secret.length > SECRET_LENGTH_MAX) throw new MonError('invalid', `${sourceName} is too long for a ${what}`);
  return secret;
}

async function fileSecret(what: string, path: string): Promise<string> {
  try {
    await using opened = await open(path);
    const { mode, uid } = await opened.stat();
    // A file that another user owns, such as a mounted secret, is not checked: it has to be readable for users other
    // than its owner.
    const isOwn = uid === process.getuid?.();
    if (isOwn && (mode & OTHER_USERS_MODE_BITS) !== 0)
      throw new Error(`other users of this machine can read ${path}: chmod 600 it`);
    // Editors append a line end, which is not part of the secret.
    return (await opened.readFile('utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new MonError('invalid', `${what} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}
