import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Beside the programs of a package or an archive, made by `npm run package`; a clone has none. */
export const INSTALLATION_FILE = 'installation.json';

const placesSchema = z.strictObject({
  /** The main configuration file. */
  config: z.string(),
  /** Of further files; it may be missing. */
  directory: z.string(),
  /** Where the state is unless the configuration says otherwise. */
  stateDir: z.string(),
  /** Where it was in versions before that (reference 9.3, 5.1.0). */
  formerStateDir: z.string().optional(),
});

/** Where an installed program finds what it is not told. */
export type Installation = z.infer<typeof placesSchema>;

const installationSchema = z.partialRecord(z.enum(['mon-backend', 'mon-agent']), placesSchema);

/** By the program. */
export type Installations = z.infer<typeof installationSchema>;

/**
 * @param folder of the program; default: the one that it was started from
 * @returns undefined: the program is not installed, and knows no places
 */
export function readInstallation(
  program: keyof Installations,
  folder: string = import.meta.dirname,
): Installation | undefined {
  const file = join(folder, INSTALLATION_FILE);
  return existsSync(file) ? installationSchema.parse(JSON.parse(readFileSync(file, 'utf8')))[program] : undefined;
}

/** What the command line names to be read. */
interface NamedSources {
  readonly file: string | undefined;
  readonly directories: readonly string[];
}

/** What is read: what the command line names; when it names nothing, what belongs to the installation. */
export function installedSources(named: NamedSources, installation: Installation | undefined): NamedSources {
  if (installation === undefined || named.file !== undefined || named.directories.length > 0) return named;
  const { config, directory } = installation;
  return { file: config, directories: existsSync(directory) ? [directory] : [] };
}
