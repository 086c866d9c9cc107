import type { UpgradeFacts } from '../../schemas/plan.ts';

/** Names of the programs, packages and files of a product that is upgraded: mon or Sensu Go. */
export interface ProductWords {
  readonly backend: string;
  readonly agent: string;
  /** Name of the command-line tool. */
  readonly tool: string;
  /**
   * Default state directory before 5.1.0, if the backend was not installed from a package. From 5.1.0 on it is
   * `newStateDir` (reference 9.3).
   */
  readonly oldStateDir: string;
  readonly newStateDir: string;
  readonly configFile: string;
  /** Returns the command that installs a version of all packages. */
  install(version: string): string;
  /** Returns the command that dumps all objects to a file. */
  dump(file: string): string;
}

const MON_WORDS: ProductWords = {
  backend: 'mon-backend',
  agent: 'mon-agent',
  tool: 'monctl',
  oldStateDir: '/var/lib/mon',
  newStateDir: '/var/lib/mon/mon-backend',
  configFile: '/etc/mon/backend.yml',
  install: (version) => `apt-get install mon-backend=${version} mon-agent=${version} monctl=${version}`,
  dump: (file) => `monctl dump all --all-namespaces --file ${file}`,
};

/** Names for a Sensu Go cluster. The versions of its packages end with a build number. */
const SENSU_GO_WORDS: ProductWords = {
  backend: 'sensu-backend',
  agent: 'sensu-agent',
  tool: 'sensuctl',
  oldStateDir: '/var/lib/sensu',
  newStateDir: '/var/lib/sensu/sensu-backend',
  configFile: '/etc/sensu/backend.yml',
  install: (version) =>
    `apt-get install 'sensu-go-backend=${version}-*' 'sensu-go-agent=${version}-*' 'sensu-go-cli=${version}-*'`,
  dump: (file) => `sensuctl dump all --all-namespaces --format yaml --file ${file}`,
};

/** Returns the program, package and file names for the commands of manual upgrade steps. */
export function wordsOf({ product }: Pick<UpgradeFacts, 'product'>): ProductWords {
  return product === 'mon' ? MON_WORDS : SENSU_GO_WORDS;
}
