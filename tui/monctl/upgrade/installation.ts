import { execFile } from 'node:child_process';
import { access, constants, readdir, readFile, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { wordsOf } from '../../../shared/domain/plan/product-words.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';

const runProgram = promisify(execFile);

/**
 * Paths of an installed package. Its state directory before 5.1.0 differs from its state directory since then
 * (reference 9.3).
 */
export interface InstallPaths {
  /** Name of the backend program. */
  readonly program: string;
  readonly config: string;
  readonly oldState: string;
  readonly newState: string;
}

export function installPathsOf(facts: Pick<UpgradeFacts, 'product'>): InstallPaths {
  const { backend, configFile, oldStateDir, newStateDir } = wordsOf(facts);
  return { program: backend, config: configFile, oldState: oldStateDir, newState: newStateDir };
}

const QUESTION_MS = 5000;

/**
 * Commands that ask a package manager which package owns a file. The path of the file is appended to the command; exit
 * code 0 means that a package owns it.
 */
const OWNER_QUESTIONS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['dpkg-query', '--search'],
  ['rpm', '--query', '--file'],
  ['apk', 'info', '--who-owns'],
];

/**
 * Returns how the backend on this machine is installed, and where its state is; empty if no backend is installed.
 *
 * @param path value of the environment variable `PATH`
 * @throws MonError `invalid` when the configuration file exists and cannot be read
 */
export async function detectInstallation(
  path: string,
  installPaths: InstallPaths,
): Promise<Pick<UpgradeFacts, 'install' | 'state_dir'>> {
  const program = await findProgram(installPaths.program, path);
  if (program === undefined) return {};
  return {
    install: (await isOwned(program)) ? 'package' : 'binary',
    state_dir: {
      configured: await configuredStateDir(installPaths.config),
      old_has_data: await hasData(installPaths.oldState, installPaths.newState),
      new_has_data: await hasData(installPaths.newState),
    },
  };
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    // Links are resolved, because a package owns the file itself and not the links to it.
    if (folder !== '' && isThere) return await realpath(file);
  }
  return undefined;
}

async function isOwned(file: string): Promise<boolean> {
  const answers = await Promise.allSettled(
    OWNER_QUESTIONS.map(([program, ...args]) => runProgram(program, [...args, file], { timeout: QUESTION_MS })),
  );
  return answers.some(({ status }) => status === 'fulfilled');
}

/**
 * Returns the state directory that the configuration file sets; null if there is no such file, or it sets none.
 *
 * @throws MonError `invalid` when the file cannot be read or is not YAML
 */
async function configuredStateDir(file: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new MonError('invalid', `cannot read ${file}: ${errorMessage(error)}`, { cause: error });
  }
  try {
    const settings: unknown = parse(text);
    if (typeof settings !== 'object' || settings === null || !('state-dir' in settings)) return null;
    return String(settings['state-dir']);
  } catch (error) {
    throw new MonError('invalid', `${file} is not YAML: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Returns true if a directory contains data.
 *
 * @param apart path of a subdirectory that is ignored
 */
async function hasData(folder: string, apart?: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => join(folder, name) !== apart);
}
