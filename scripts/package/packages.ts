import type { Installations } from '../../daemon/settings/installation.ts';

/** A program with the files that esbuild builds for it; the first one is started. */
export interface PackagedProgram {
  readonly name: string;
  readonly files: readonly string[];
  /** Section of the manual. */
  readonly section: 1 | 8;
}

/** The content of one .deb. */
export interface Package {
  readonly name: string;
  /** The summary in one line. */
  readonly summary: string;
  /** The description in lines of at most 80 characters. */
  readonly description: readonly string[];
  readonly debianSection: string;
  readonly depends: readonly string[];
  readonly programs: readonly PackagedProgram[];
  /** True if it contains the native part of the store. */
  readonly hasStore: boolean;
  readonly service?: PackagedService;
  /** Documents by their path in this clone, with their path in the package. */
  readonly documents: Readonly<Record<string, string>>;
}

export interface PackagedService {
  readonly user: string;
  readonly state: string;
  /** The main configuration file, and the directory of additional ones. */
  readonly config: string;
  readonly definitions: string;
  /** Paths that a purge deletes. */
  readonly data: readonly string[];
}

/** The system libraries that Node.js needs. */
const RUNTIME_DEPENDS = ['libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 5)'];
/** Alternatives that create users, also in a container without systemd. */
const SERVICE_DEPENDS = ['systemd | systemd-standalone-sysusers | systemd-sysusers', 'passwd'];

/**
 * The packages. Each contains its own Node.js. That costs 120 MB twice more if all three are installed. In
 * return there is one file to copy to a machine, and no order of upgrades. Most machines only have the agent.
 */
export const PACKAGES: readonly Package[] = [
  {
    name: 'mon-backend',
    summary: 'monitoring backend: results, events, handlers',
    description: [
      'Takes the results of checks, keeps events, clients and silences in a store of',
      'its own, tells handlers, and serves the APIs and the live feed that consoles',
      'and scripts use.',
    ],
    debianSection: 'net',
    depends: [...RUNTIME_DEPENDS, ...SERVICE_DEPENDS],
    programs: [
      { name: 'mon-backend', files: ['mon-backend.js', 'command-process.js', 'bcrypt-thread.js'], section: 8 },
    ],
    hasStore: true,
    service: {
      user: 'mon',
      state: '/var/lib/mon/mon-backend',
      config: '/etc/mon/backend.yml',
      definitions: '/etc/mon/conf.d',
      data: ['/var/lib/mon/mon-backend', '/var/log/mon'],
    },
    documents: { 'examples/backend.yml': 'examples/backend.yml' },
  },
  {
    name: 'mon-agent',
    summary: 'monitoring agent: runs checks and reports to a backend',
    description: [
      'Runs the checks of one machine, takes in the results of other programs there,',
      'and delivers everything to a mon-backend. What the backend has not',
      'acknowledged is kept on disk.',
    ],
    debianSection: 'net',
    depends: [...RUNTIME_DEPENDS, ...SERVICE_DEPENDS],
    programs: [{ name: 'mon-agent', files: ['mon-agent.js'], section: 8 }],
    hasStore: true,
    service: {
      user: 'mon-agent',
      state: '/var/lib/mon-agent',
      config: '/etc/mon/agent.yml',
      definitions: '/etc/mon/agent.d',
      data: ['/var/lib/mon-agent'],
    },
    documents: {
      'examples/agent/agent.yml': 'examples/agent.yml',
      'examples/agent/conf.d/built-in.yml': 'examples/built-in.yml',
      'docs/agent.md': 'agent.md',
      'scripts/package/mon-agent/sudo.conf': 'sudo.conf',
    },
  },
  {
    name: 'mon-cli',
    summary: 'console and command-line tool of the mon monitoring',
    description: [
      'mon is a full-screen console with a live list of events; monctl does single',
      'things, for scripts. Both speak to a mon-backend, on this machine or another.',
    ],
    debianSection: 'net',
    depends: RUNTIME_DEPENDS,
    programs: [
      { name: 'mon', files: ['mon.js', 'mon-program.js'], section: 1 },
      { name: 'monctl', files: ['monctl.js', 'monctl-program.js'], section: 1 },
    ],
    hasStore: false,
    documents: { 'docs/console.md': 'console.md', 'docs/monctl.md': 'monctl.md' },
  },
];

/** State directory of a backend before 5.1.0 (reference 9.3). */
const FORMER_STATE_DIR = '/var/lib/mon';

/** Returns the installation paths for the programs of these packages. */
export function installationsOf(packages: readonly Package[]): Installations {
  return Object.fromEntries(
    packages.flatMap(({ name, service }) =>
      service === undefined
        ? []
        : [
            [
              name,
              {
                config: service.config,
                directory: service.definitions,
                stateDir: service.state,
                ...(name === 'mon-backend' && { formerStateDir: FORMER_STATE_DIR }),
              },
            ],
          ],
    ),
  );
}
