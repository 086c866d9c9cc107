import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Name of the file with the default paths of an installed program. `npm run package` writes it next to the programs of
 * a package or an archive; a source checkout has none.
 */
export const INSTALLATION_FILE = 'installation.json';

const pathsSchema = z.strictObject({
  /** The main configuration file. */
  config: z.string(),
  /** The directory of further configuration files; it does not have to exist. */
  directory: z.string(),
  /** The state directory, unless the configuration sets another. */
  stateDir: z.string(),
  /** The state directory of earlier versions (reference 9.3, 5.1.0). */
  formerStateDir: z.string().optional(),
});

/** The default paths of an installed program. */
export type Installation = z.infer<typeof pathsSchema>;

const installationSchema = z.partialRecord(z.enum(['mon-backend', 'mon-agent']), pathsSchema);

/** The default paths of each installed program. */
export type Installations = z.infer<typeof installationSchema>;

/**
 * Reads the default paths of a program.
 *
 * @param folder the folder of the program; default: the one from which it was started
 * @returns the default paths; undefined if the program is not installed
 */
export function readInstallation(
  program: keyof Installations,
  folder: string = import.meta.dirname,
): Installation | undefined {
  const file = join(folder, INSTALLATION_FILE);
  return existsSync(file) ? installationSchema.parse(JSON.parse(readFileSync(file, 'utf8')))[program] : undefined;
}

/** The configuration files on the command line. */
interface SettingsSources {
  readonly file: string | undefined;
  readonly directories: readonly string[];
}

/** Returns the configuration files to read: those on the command line, or else the default ones of the installation. */
export function installedSources(named: SettingsSources, installation: Installation | undefined): SettingsSources {
  if (installation === undefined || named.file !== undefined || named.directories.length > 0) return named;
  const { config, directory } = installation;
  return { file: config, directories: existsSync(directory) ? [directory] : [] };
}
