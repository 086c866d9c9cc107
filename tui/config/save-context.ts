import { chmod, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMap, type Document } from 'yaml';
import { MonError } from '../../shared/errors.ts';
import { readConfigText } from './config-file.ts';
import type { ContextConfig } from './console-config.ts';
import { openDocument, parseConfig } from './parse-config.ts';
import { replaceFile } from './replace-file.ts';

const LINE_WIDTH = 120;

/** Credentials that are stored in a separate file next to the configuration file. */
export type StoredSecret = { readonly user: string; readonly password: string } | { readonly key: string };

/**
 * Writes a backend into the configuration file as a context, and makes it the context to which the console connects at
 * start. Its secret is written to a separate file that only its owner can read. Everything else in the configuration
 * file is preserved.
 *
 * @param path path of the configuration file
 * @throws MonError `conflict` when the file is invalid, because its content would be lost
 */
export async function saveContext(
  path: string,
  name: string,
  {
    backend,
    namespace,
    secret,
    tls,
  }: {
    readonly backend: string;
    readonly namespace: string | undefined;
    readonly secret: StoredSecret | undefined;
    readonly tls: Pick<ContextConfig, 'trusted-ca-file' | 'insecure-skip-tls-verify'>;
  },
): Promise<void> {
  const text = await validConfigText(path);
  const context: ContextConfig = {
    backend,
    ...(secret !== undefined && (await writeSecret(path, name, secret))),
    ...(namespace !== undefined && { namespace }),
    ...tls,
  };
  const document = openDocument(text);
  if (!isMap(document.contents)) document.contents = openDocument('{}\n').contents;
  if (isMap(document.contents)) document.contents.flow = false;
  if (!isMap(document.get('contexts'))) document.set('contexts', document.createNode({}));
  document.setIn(['contexts', name], document.createNode(context));
  document.set('context', name);
  await writeConfig(path, document);
}

/**
 * Makes a context the one to which the console and monctl connect.
 *
 * @throws MonError `conflict` when the file is invalid
 */
export async function selectContext(path: string, name: string): Promise<void> {
  const document = openDocument(await validConfigText(path));
  document.set('context', name);
  await writeConfig(path, document);
}

/**
 * Deletes a context from the configuration file, and the secret that `saveContext` stored for it.
 *
 * @throws MonError `conflict` when the file is invalid
 */
export async function deleteContext(path: string, name: string): Promise<void> {
  const document = openDocument(await validConfigText(path));
  document.deleteIn(['contexts', name]);
  // The setting stays with its comments, without a value.
  if (document.get('context') === name) document.set('context', null);
  await writeConfig(path, document);
  await rm(secretFile(path, name), { force: true });
}

async function validConfigText(path: string): Promise<string> {
  const text = (await readConfigText(path)) ?? '';
  const refusal = findConfigProblem(text, path);
  if (refusal === undefined) return text;
  throw new MonError('conflict', `the configuration file is invalid: fix it first\n${refusal.message}`, {
    cause: refusal,
  });
}

async function writeConfig(path: string, document: Document.Parsed): Promise<void> {
  const changed = document.toString({ lineWidth: LINE_WIDTH });
  // The next start of the console must be able to read the result, so it is checked before it is written.
  parseConfig(changed, path);
  await replaceFile(path, changed);
}

function secretFile(path: string, name: string): string {
  return join(dirname(path), 'secrets', name);
}

function findConfigProblem(text: string, path: string): Error | undefined {
  try {
    parseConfig(text, path);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Writes the secret of a context to its own file, and returns the settings of the context that refer to the file. */
async function writeSecret(path: string, name: string, secret: StoredSecret): Promise<Partial<ContextConfig>> {
  const file = secretFile(path, name);
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await replaceFile(file, `${'key' in secret ? secret.key : secret.password}\n`);
  return 'key' in secret ? { key: { file } } : { user: secret.user, password: { file } };
}
