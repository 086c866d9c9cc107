import type { Installations } from '../../daemon/settings/installation.ts';

/** A packaged program with the files that esbuild builds for it; the first file is the entry point. */
export interface PackagedProgram {
  readonly name: string;
  readonly files: readonly string[];
  /** Section of the manual page. */
  readonly section: 1 | 8;
}

/** The content of one .deb file. */
export interface Package {
  readonly name: string;
  /** The one-line summary of the package. */
  readonly summary: string;
  /** The description of the package, in lines of at most 80 characters. */
  readonly description: readonly string[];
  readonly debianSection: string;
  readonly depends: readonly string[];
  readonly programs: readonly PackagedProgram[];
  /** True if the package contains the native module of the store. */
  readonly hasStore: boolean;
  readonly service?: PackagedService;
  /** The packaged documents: path in this repository to path in the package's documentation directory. */
  readonly documents: Readonly<Record<string, string>>;
}

export interface PackagedService {
  readonly user: string;
  readonly state: string;
  /** Path of the main configuration file. `definitions` is the directory of additional configuration files. */
  readonly config: string;
  readonly definitions: string;
  /** Paths that are deleted when the package is purged. */
  readonly data: readonly string[];
}

/** Packages with the system libraries that Node.js needs. */
const RUNTIME_DEPENDS = ['libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 5)'];
/** Packages that create users and directories: the alternatives to systemd also work in a container without it. */
const SERVICE_DEPENDS = ['systemd | systemd-standalone-sysusers | systemd-sysusers', 'passwd'];

/**
 * The Debian packages. Each contains its own Node.js, which costs 240 MB more if all three are installed. In return,
 * each package is a single file, and packages can be upgraded in any order. Most machines only have the agent.
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

/** State directory of backends before version 5.1.0 (reference 9.3). */
const FORMER_STATE_DIR = '/var/lib/mon';

/** Returns the installation paths for the programs of the given packages. */
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
