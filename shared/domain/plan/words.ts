import type { UpgradeFacts } from '../../schemas/plan.ts';

/** What the programs, packages and files of a product are called. */
export interface ProductWords {
  readonly backend: string;
  readonly agent: string;
  /** Of the command line. */
  readonly tool: string;
  /** Where bare binaries kept their state before 5.1.0, and look for it since (reference 9.3). */
  readonly oldStateDir: string;
  readonly newStateDir: string;
  readonly configFile: string;
  /** Installs a version of everything. */
  install(version: string): string;
  /** Writes everything to a file. */
  dump(file: string): string;
}

const OURS: ProductWords = {
  backend: 'mon-backend',
  agent: 'mon-agent',
  tool: 'monctl',
  oldStateDir: '/var/lib/mon',
  newStateDir: '/var/lib/mon/mon-backend',
  configFile: '/etc/mon/backend.yml',
  install: (version) => `apt-get install mon-backend=${version} mon-agent=${version} monctl=${version}`,
  dump: (file) => `monctl dump all --all-namespaces --file ${file}`,
};

/** Of a cluster of the peer, whose packages carry a build number behind the version. */
const OF_CLUSTER: ProductWords = {
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

/** The words of the product that is upgraded: what is done with it by hand is done with its own programs. */
export function wordsOf({ product }: Pick<UpgradeFacts, 'product'>): ProductWords {
  return product === 'mon' ? OURS : OF_CLUSTER;
}
