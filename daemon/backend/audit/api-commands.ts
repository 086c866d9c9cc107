import { realpathSync } from 'node:fs';
import { apiCommandProblem, isInDirectory, type ApiCommandSettings } from '../../../shared/domain/api-command.ts';
import type { Log } from '../../log/log.ts';
import {
  DEFINITION_KINDS,
  type DefinitionKind,
  type DefinitionKinds,
  type StoredDefinitions,
} from '../model/definitions/state.ts';

/** Maximum number of definitions that the log record about forbidden commands names. */
const NAMED_DEFINITIONS_MAX = 20;

const ASSETS_FORBIDDEN =
  'assets install programs on agent hosts, so they are rejected while api-commands or api-command-directories restricts commands: install the programs there';

/**
 * Decides whether definitions that are created over the API may contain commands. Definitions in the configuration are
 * not restricted.
 */
export class ApiCommands {
  readonly #settings: () => ApiCommandSettings;

  /**
   * @param settings callback that returns the current settings. It is called for each definition, so that a reload of
   *   the configuration takes effect at once.
   */
  constructor(settings: () => ApiCommandSettings) {
    this.#settings = settings;
  }

  /** Returns the reason why a definition may not be created over the API, or undefined if it may be created. */
  problemOf<Kind extends DefinitionKind>(
    kind: Kind,
    { definition }: Pick<DefinitionKinds[Kind], 'definition'>,
  ): string | undefined {
    const settings = this.#settings();
    const { directories } = settings;
    // An asset contains programs that an agent finds before those of its host, so it could replace any program.
    if (kind === 'assets') return settings.isAllowed && directories.length === 0 ? undefined : ASSETS_FORBIDDEN;
    // Checks and hooks run on the hosts of agents, where the backend cannot resolve symbolic links. So only the path of
    // the program is checked.
    const isListed = kind === 'checks' || kind === 'hooks' ? isNamedIn : isReallyIn;
    return apiCommandProblem({ ...definition }, settings, (program) => isListed(program, directories));
  }

  /**
   * Logs a warning about stored definitions whose commands the current settings forbid. Such a command still runs until
   * an operator deletes its definition.
   */
  warnOf(stored: StoredDefinitions, log: Log): void {
    const refused = DEFINITION_KINDS.flatMap((kind) =>
      [...stored.all(kind)]
        .filter((definition) => this.problemOf(kind, definition) !== undefined)
        .map(({ object: { metadata } }) => `${kind}/${metadata.namespace}/${metadata.name}`),
    );
    if (refused.length === 0) return;
    log.warn(
      { definitions: refused.slice(0, NAMED_DEFINITIONS_MAX), definition_count: refused.length },
      'stored definitions contain commands that the API no longer accepts: these commands still run until the definitions are deleted',
    );
  }
}

function isNamedIn(program: string, directories: readonly string[]): boolean {
  return directories.some((directory) => isInDirectory(program, directory));
}

/** True if the program is in one of the directories, after symbolic links in all paths are resolved. */
function isReallyIn(program: string, directories: readonly string[]): boolean {
  const file = realPath(program);
  if (file === undefined) return false;
  return directories.some((directory) => {
    const real = realPath(directory);
    return real !== undefined && isInDirectory(file, real);
  });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
