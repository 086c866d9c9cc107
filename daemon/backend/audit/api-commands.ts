import { realpathSync } from 'node:fs';
import { apiCommandProblem, isInDirectory, type ApiCommandSettings } from '../../../shared/domain/api-command.ts';
import type { Log } from '../../log/log.ts';
import {
  DEFINITION_KINDS,
  type DefinitionKind,
  type DefinitionKinds,
  type StoredDefinitions,
} from '../definitions/state.ts';

/** Names in one record of the log. */
const NAMED_MAX = 20;

const NO_ASSETS =
  'assets install programs on agent hosts, so they are rejected while api-commands or api-command-directories restricts commands: install the programs there';

/** Whether what comes over the API may make commands. What the configuration defines is no concern of it. */
export class ApiCommands {
  readonly #settings: () => ApiCommandSettings;

  /** @param settings asked each time: a reload counts at once */
  constructor(settings: () => ApiCommandSettings) {
    this.#settings = settings;
  }

  /** Why a definition may not be made over the API. */
  problemOf<Kind extends DefinitionKind>(
    kind: Kind,
    { definition }: Pick<DefinitionKinds[Kind], 'definition'>,
  ): string | undefined {
    const settings = this.#settings();
    const { directories } = settings;
    // An archive of programs and libraries, which the commands of an agent find before any others.
    if (kind === 'assets') return settings.isAllowed && directories.length === 0 ? undefined : NO_ASSETS;
    // What agents run is on their machines: only the name can be looked at.
    const isListed = kind === 'checks' || kind === 'hooks' ? isNamedIn : isReallyIn;
    return apiCommandProblem({ ...definition }, settings, (program) => isListed(program, directories));
  }

  /** What is stored goes on when the settings change: whoever closes this has to see what is there already. */
  warnOf(stored: StoredDefinitions, log: Log): void {
    const refused = DEFINITION_KINDS.flatMap((kind) =>
      [...stored.all(kind)]
        .filter((definition) => this.problemOf(kind, definition) !== undefined)
        .map(({ object: { metadata } }) => `${kind}/${metadata.namespace}/${metadata.name}`),
    );
    if (refused.length === 0) return;
    log.warn(
      { definitions: refused.slice(0, NAMED_MAX), definition_count: refused.length },
      'stored definitions have commands that the API rejects now, but still run: delete those that must not run',
    );
  }
}

function isNamedIn(program: string, directories: readonly string[]): boolean {
  return directories.some((directory) => isInDirectory(program, directory));
}

/** Behind all links, of the program and of the directory. */
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
