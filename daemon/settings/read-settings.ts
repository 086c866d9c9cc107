import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../shared/errors.ts';
import { JsonTextError, parseJsonFile, type JsonTextRemark } from '../../shared/domain/json-text.ts';
import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import type { LocatedRemark } from './locate-remark.ts';
import { parseYamlText, YamlTextError } from './yaml-text.ts';
import type { SettingsLayer } from './settings-layer.ts';

export interface ReadSettings {
  /** The layers, in the order in which they are merged. */
  readonly layers: readonly SettingsLayer[];
  readonly problems: readonly LocatedRemark[];
  readonly warnings: readonly LocatedRemark[];
  /** Every file that was read, in reading order. */
  readonly files: readonly string[];
  /** Every folder to watch: a change of the configuration changes an entry in one of them. */
  readonly folders: readonly WatchedFolder[];
}

export interface WatchedFolder {
  readonly path: string;
  /** The only entry of the folder that matters; undefined if all entries matter. */
  readonly only?: string;
}

const YAML_FILE = /\.ya?ml$/;
const SETTINGS_FILE = /\.(?:json|ya?ml)$/;

/**
 * The maximum size of a file: a definition is a few hundred bytes, so a larger file indicates a mistake in `-c` or
 * `-d`.
 */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads the main file, then each directory in the given order (completion 1.16). Reads every file, even if others have
 * problems.
 */
export async function readSettings(file: string | undefined, directories: readonly string[]): Promise<ReadSettings> {
  const layers: SettingsLayer[] = [];
  const problems: LocatedRemark[] = [];
  const warnings: LocatedRemark[] = [];
  const folders: WatchedFolder[] = [];

  const read = async (path: string): Promise<void> => {
    try {
      const { settings, remarks } = await readSettingsFile(path);
      layers.push({ origin: path, settings });
      for (const remark of remarks) warnings.push({ file: path, ...remark });
    } catch (error) {
      problems.push({ file: path, ...describeReadError(error) });
    }
  };

  if (file !== undefined) {
    folders.push({ path: dirname(file), only: basename(file) });
    if (await isMissing(file))
      warnings.push({ file, message: 'the file does not exist: continuing without this file' });
    else await read(file);
  }
  for (const directory of directories) {
    // Watch the parent folder too: the directory can be a link that is changed later, or it can be replaced.
    folders.push({ path: dirname(directory), only: basename(directory) });
    try {
      for (const path of await listSettingsFiles(directory, folders)) await read(path);
    } catch (error) {
      problems.push({ file: directory, ...describeReadError(error) });
    }
  }
  return { layers, problems, warnings, files: layers.map(({ origin }) => origin), folders };
}

interface SettingsFile {
  readonly settings: Settings;
  /** Remarks about content that was lost. */
  readonly remarks: readonly JsonTextRemark[];
}

async function readSettingsFile(path: string): Promise<SettingsFile> {
  const { size } = await stat(path);
  if (size > FILE_BYTES_MAX) {
    throw new Error(
      `is larger than ${String(FILE_BYTES_MAX / 1024 / 1024)} MiB, the maximum size of a configuration file`,
    );
  }
  const text = await readFile(path, 'utf8');
  const { value, remarks } = YAML_FILE.test(path) ? { value: parseYamlText(text), remarks: [] } : parseJsonFile(text);
  // An empty file is valid.
  const settings = value ?? {};
  if (!isSettings(settings)) throw new Error('must contain an object with sections such as "checks"');
  return { settings, remarks };
}

/**
 * Lists `*.json`, `*.yml` and `*.yaml` below a directory, sorted by path; hidden files and folders are skipped. A
 * symbolic link to a folder is followed, but not a link inside of that folder, so that cycles end.
 *
 * @param folders the list to which each visited folder is added
 */
async function listSettingsFiles(directory: string, folders: WatchedFolder[], isLinked = false): Promise<string[]> {
  folders.push({ path: directory });
  const paths: string[] = [];
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = join(directory, entry.name);
    if (await isFolder(entry, path)) {
      const throughLink = entry.isSymbolicLink();
      if (throughLink && isLinked) continue;
      paths.push(...(await listSettingsFiles(path, folders, isLinked || throughLink)));
    } else if (SETTINGS_FILE.test(entry.name)) {
      paths.push(path);
    }
  }
  return paths;
}

async function isFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const target = await stat(path).catch(() => undefined);
  return target?.isDirectory() ?? false;
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: unknown) => codeOf(error) === 'ENOENT',
  );
}

/** Returns the message for a file that cannot be used, with the line and the column of a syntax error. */
function describeReadError(error: unknown): Pick<LocatedRemark, 'line' | 'column' | 'message'> {
  if (error instanceof JsonTextError || error instanceof YamlTextError) {
    return { line: error.line, column: error.column, message: error.message };
  }
  return { message: describeFile(error) };
}

function describeFile(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such file or directory; create it, or correct the path';
    case 'ENOTDIR':
      return 'is not a directory; give a single file with -c';
    case 'EISDIR':
      return 'is a directory; give it with -d';
    case 'EACCES':
      return 'cannot be read by this user; change its permissions or its owner';
    default:
      return errorMessage(error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
