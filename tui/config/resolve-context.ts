import { open } from 'node:fs/promises';
import { parseBackendAddresses, tlsVariables, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { errorMessage, MonError } from '../../shared/errors.ts';
import type { ContextConfig, ResolvedContext, SecretSource } from './console-config.ts';

/** Others than the owner may read or write a file (security S6). */
const OTHERS = 0o077;

/** No password and no key is longer. */
const SECRET_LENGTH_MAX = 4096;

/**
 * Where a context is, and with what one is let in there. Nothing of another backend's credentials comes with it.
 *
 * @param env where secrets are that are in the environment
 * @throws MonError `invalid` when a secret is not where it should be; the message never holds it
 */
export async function resolveContext(
  name: string,
  { backend, user, password, key, ...rest }: ContextConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ResolvedContext> {
  const credentials: Record<string, string | undefined> = { ...tlsOf(rest, env) };
  if (key !== undefined) credentials['MON_API_KEY'] = await secretOf(name, 'key', key, env);
  if (user !== undefined && password !== undefined) {
    credentials['MON_CREDENTIALS'] = `${user}:${await secretOf(name, 'password', password, env)}`;
  }
  // It fails here rather than in the middle of connecting.
  parseBackendAddresses(backend, credentials);
  return { backend, env: credentials };
}

/** What the environment says of TLS holds for every backend that says nothing of its own. */
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
  const place = 'env' in source ? `$${source.env}` : source.file;
  const secret = 'env' in source ? (env[source.env] ?? '') : await fileSecret(`the ${what} of ${context}`, source.file);
  if (secret === '')
    throw new MonError('invalid', `the ${what} of ${context} is missing: ${place} is empty or not set`);
  if (secret.length > SECRET_LENGTH_MAX) throw new MonError('invalid', `${place} is too long for a ${what}`);
  return secret;
}

async function fileSecret(what: string, path: string): Promise<string> {
  try {
    await using opened = await open(path);
    const { mode, uid } = await opened.stat();
    // A file of somebody else, such as a secret that is mounted, is that one's to protect.
    const isOwn = uid === process.getuid?.();
    if (isOwn && (mode & OTHERS) !== 0) throw new Error(`other users of this machine can read ${path}: chmod 600 it`);
    // The line end is the editor's.
    return (await opened.readFile('utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new MonError('invalid', `${what} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}
