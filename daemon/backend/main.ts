import { once } from 'node:events';
import meow from 'meow';
import { MonError } from '../../shared/errors.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { createLog, LOG_LEVELS, type Log, type LogLevel } from '../log/log.ts';
import { compose } from './compose.ts';
import { loadConfig, type LoadedConfig } from './config/load-config.ts';
import { openLevelStore } from './store/level-store.ts';

const HELP = `
  Usage
    mon-backend start [options]   Run the backend until it is stopped
    mon-backend version           Show the version

  Options
    --state-dir DIR        Where everything is stored (default: ./var/backend)
    --bind ADDR            Address to listen on (default: 127.0.0.1, or api.bind)
    --port N               Port to listen on (default: 4567, or api.port, or MON_PORT)
    -c, --config FILE      Main configuration file (JSON)
    -d, --config-dir DIR   Directories of further JSON files, comma-separated
    --log-level LEVEL      debug, info, warn or error (default: info)
    --insecure             Allow an address that others can reach although no credentials are set

  Exit codes
    0  stopped on request
    1  could not go on
    2  wrong usage or configuration, or another backend holds the state directory

  Examples
    mon-backend start --state-dir /var/lib/mon -d /etc/mon/conf.d
    mon-backend start --port 4568 -c config.json
`;

const cli = meow(HELP, {
  importMeta: import.meta,
  // Also what the process is called in the list of processes.
  pkg: { name: 'mon-backend' },
  description: 'mon-backend: stores check results, turns them into events and serves them',
  version: VERSION,
  allowUnknownFlags: false,
  flags: {
    stateDir: { type: 'string', default: 'var/backend' },
    bind: { type: 'string' },
    port: { type: 'number' },
    config: { type: 'string', shortFlag: 'c' },
    configDir: { type: 'string', shortFlag: 'd', isMultiple: true },
    logLevel: { type: 'string', choices: [...LOG_LEVELS], default: 'info' },
    insecure: { type: 'boolean', default: false },
  },
});

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

process.exitCode = await main();

async function main(): Promise<number> {
  const [command, ...rest] = cli.input;
  if (command === 'version' && rest.length === 0) {
    process.stdout.write(`mon-backend version ${VERSION}\n`);
    return 0;
  }
  if (command === 'start' && rest.length === 0) return start();
  process.stderr.write(
    `mon-backend: ${command === undefined ? 'a command is missing' : `unknown command ${cli.input.join(' ')}`}\n`,
  );
  process.stderr.write('Try: mon-backend start, mon-backend version, mon-backend --help\n');
  return EXIT_USAGE;
}

async function start(): Promise<number> {
  const log = createLog({ component: 'backend', level: cli.flags.logLevel as LogLevel });
  try {
    const config = await loadConfig({
      ...(cli.flags.config === undefined ? {} : { file: cli.flags.config }),
      directories: (cli.flags.configDir ?? []).flatMap((list) => list.split(',')).filter((dir) => dir !== ''),
      env: process.env,
    });
    for (const warning of config.warnings) log.warn({}, warning);
    return await serve(config, log);
  } catch (error) {
    if (!(error instanceof MonError)) throw error;
    process.stderr.write(`mon-backend: ${error.message}\n`);
    return error.code === 'invalid' || error.code === 'conflict' ? EXIT_USAGE : EXIT_FAILED;
  }
}

async function serve(config: LoadedConfig, log: Log): Promise<number> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const backend = await compose({
    config,
    openStore: () => openLevelStore(cli.flags.stateDir),
    clock: new SystemClock(),
    log,
    bind: cli.flags.bind ?? config.api.bind,
    port: cli.flags.port ?? config.api.port,
    isInsecureAllowed: cli.flags.insecure,
  });
  log.info({ url: backend.url, state_dir: cli.flags.stateDir, version: VERSION }, 'backend started');
  await stopped;
  log.info({}, 'backend stopping');
  await backend.stop();
  log.info({}, 'backend stopped');
  return 0;
}
