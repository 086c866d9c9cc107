import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { addressWarning, tlsVariables, type BackendAddress } from '../../shared/client/backend-address.ts';
import { backendAddress, runtimeDirectory } from '../../shared/client/local-access.ts';
import { errorMessage, MonError } from '../../shared/errors.ts';
import { writeBufferBytes } from '../../shared/domain/disk-space.ts';
import { DURATION_HINT, parseDuration } from '../../shared/schemas/parse-duration.ts';
import type { ProgramSettings } from '../../shared/schemas/settings.ts';
import { UPGRADE_TIMEOUT_MAX } from '../../shared/schemas/store-upgrade.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { LineWriter } from '../log/line-writer.ts';
import { createLog, type ProgramLog } from '../log/log.ts';
import { openServiceManager } from '../service/service-manager.ts';
import { readInstallation } from '../settings/installation.ts';
import { InvalidSettings } from '../settings/locate-remark.ts';
import { makePrivately } from '../private-files/umask.ts';
import { warnOfReaders } from '../private-files/warn-of-readers.ts';
import { configSources, EXIT_USAGE, parseBackendArguments } from './arguments.ts';
import { hashPassword } from './access/password.ts';
import { processTerminal } from './store/upgrade/ask-terminal.ts';
import { limitHeapGrowth } from './health/bound-garbage.ts';
import { compose, type Backend } from './compose.ts';
import type { BackendOptions } from './compose/options.ts';
import { pruneCommand } from './clients/prune-command.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { loadInstalled } from './config/load-installed.ts';
import { createFirstAdministrator } from './accounts/initialize.ts';
import { repairCommand } from './store/repair-command.ts';
import { migrateStore } from './store/migrate-store-command.ts';
import { openStore, shownLocation, storeAccess, type StoreLocation } from './store/open-store.ts';
import type { AcceptedLoss } from './store/inspect/assert-intact.ts';
import { listenersOf, refuseOpenHttp } from './tls/listeners.ts';
import { readPeerKeyFile } from './cluster/forwarding/proof/peer-keys.ts';
import { tlsWarnings } from './tls/server-tls.ts';
import { askYesNo } from './store/upgrade/ask.ts';
import { restoreCommand } from './store/upgrade/restore-command.ts';
import { upgradeOffline, type CommandDependencies, type UpgradeFlags } from './store/upgrade/upgrade-command.ts';
import { upgradeDirectory } from './store/upgrade/upgrade-directory.ts';
import { upgradeThroughBackend } from './store/upgrade/upgrade-through.ts';
import { watchStalls } from './health/watch-stalls.ts';

const EXIT_FAILED = 1;
const EXIT_INITIALIZED = 3;

const STANDARD_ERROR = 2;

/** Maximum length, in bytes, of a password that the command `hash-password` reads. */
const PASSWORD_BYTES_MAX = 1024;

const cli = parseBackendArguments();

makePrivately();

process.exitCode = await main();

async function main(): Promise<number> {
  // `meow` handles `--help` only if it is the sole argument; without this check `start --help` would start the backend.
  if (cli.flags['help'] === true) cli.showHelp(0);
  const command = cli.input.join(' ');
  try {
    if (cli.flags.validateConfig && (command === '' || command === 'start')) return await validateConfigCommand();
    if (cli.flags.strict) throw new MonError('invalid', '--strict needs --validate-config');
    switch (command) {
      case 'start':
        return await startCommand();
      case 'upgrade':
        return await upgradeCommand();
      case 'prune':
        return await pruneClientsCommand();
      case 'init':
        return await initCommand();
      case 'migrate-store':
        return await migrateCommand();
      case 'version':
        process.stdout.write(`mon-backend version ${VERSION}\n`);
        return 0;
      case 'hash-password':
        process.stdout.write(`${await hashPassword(await readPassword())}\n`);
        return 0;
      default:
        if (cli.input[0] === 'restore-backup') return await restoreBackupCommand(cli.input.slice(1));
        if (cli.input[0] === 'repair') return await repairStoreCommand(cli.input.slice(1));
        throw new MonError(
          'invalid',
          `${command === '' ? 'a command is missing' : `unknown command ${command}`}\n` +
            'Try: mon-backend start, mon-backend init, mon-backend upgrade, mon-backend prune, mon-backend hash-password,\n' +
            '     mon-backend version, mon-backend --help',
        );
    }
  } catch (error) {
    if (!(error instanceof MonError)) throw error;
    process.stderr.write(`mon-backend: ${error.message}\n`);
    return error.code === 'invalid' || error.code === 'conflict' ? EXIT_USAGE : EXIT_FAILED;
  }
}

async function validateConfigCommand(): Promise<number> {
  const isStrict = cli.flags.strict;
  try {
    const config = await loadConfig({ isStrict });
    const listeners = listenersOf(config.api.bind, config);
    refuseOpenHttp(listeners, config.program['insecure-http']);
    const keyFile = config.program['peer-key-file'];
    const ofPeers = keyFile === undefined ? [] : [readPeerKeyFile(keyFile).warning ?? []].flat();
    const ofFiles = [...tlsWarnings(listeners, Date.now()), ...ofPeers];
    if (isStrict && ofFiles.length > 0) throw new InvalidSettings(ofFiles.map((message) => ({ file: 'tls', message })));
    for (const warning of [...config.warnings, ...ofFiles]) process.stderr.write(`warning: ${warning}\n`);
    process.stdout.write('configuration is valid\n');
    return 0;
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    process.stdout.write(`configuration is invalid\n${JSON.stringify(error.problems, undefined, 2)}\n`);
    return EXIT_USAGE;
  }
}

/** Loads the configuration. Each call searches for the files again, because files may have been added or deleted. */
async function loadConfig(more: { readonly isStrict?: boolean } = {}): Promise<LoadedConfig> {
  const installation = readInstallation('mon-backend');
  return await loadInstalled({ ...configSources(cli.flags, installation), ...more }, installation);
}

async function initCommand(): Promise<number> {
  const { program } = await loadConfig();
  const destination = new LineWriter(undefined, STANDARD_ERROR);
  const username = await createFirstAdministrator({
    openStore: () => openStore(program),
    clock: new SystemClock(),
    log: createLog({ component: 'backend', level: 'error', requestLevel: 'debug', destination }),
    env: process.env,
    terminal: process.stdin.isTTY ? processTerminal : undefined,
  });
  destination.flush();
  if (username !== undefined) {
    process.stdout.write(`created the administrator ${username} in ${shownLocation(program)}\n`);
    return 0;
  }
  if (cli.flags.ignoreAlreadyInitialized) return 0;
  process.stderr.write(`mon-backend: ${shownLocation(program)} already has an administrator: nothing was changed\n`);
  return EXIT_INITIALIZED;
}

/** Reads a password from standard input. @throws MonError `invalid` if the input is not one line with a password */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Type the password (it is visible), then Enter and Ctrl-D:\n');
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '' || /[\r\n]/.test(password) || Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw new MonError(
      'invalid',
      `send one line with the password, at most ${String(PASSWORD_BYTES_MAX)} bytes: printf %s "$PASSWORD" | mon-backend hash-password`,
    );
  }
  return password;
}

async function upgradeCommand(): Promise<number> {
  const { through, dryRun, timeout, skipConfirm } = cli.flags;
  if (timeout !== undefined && !(Number.isInteger(timeout) && timeout >= 1 && timeout <= UPGRADE_TIMEOUT_MAX)) {
    throw new MonError(
      'invalid',
      `--timeout must be a whole number of seconds, at most ${String(UPGRADE_TIMEOUT_MAX)}`,
    );
  }
  const { config, parts } = await commandDependencies();
  const flags = { skipConfirm, dryRun, timeout, backup: backupFlag() };
  const stateDir = config.program['state-dir'];
  const addressOf = (url: string): BackendAddress => upgradeAddress(url, stateDir);
  if (through !== undefined) await upgradeThroughBackend(addressOf(through), flags, parts);
  else if (config.program.store !== undefined) await upgradeDatabase(config.program, flags, parts);
  else await upgradeDirectory(stateDir, flags, parts, addressOf);
  return 0;
}

async function migrateCommand(): Promise<number> {
  const { from, to } = cli.flags;
  if (from === undefined || to === undefined) {
    throw new MonError(
      'invalid',
      'set source and target: use --from STORE and --to STORE, each a state directory or a database URL',
    );
  }
  const { clock, log, stop } = (await commandDependencies()).parts;
  const { entries } = await migrateStore({ from, to }, { clock, log, signal: stop.signal });
  process.stdout.write(`copied ${entries.toLocaleString('en')} entries and verified the copy\n`);
  return 0;
}

async function upgradeDatabase(
  location: StoreLocation,
  flags: UpgradeFlags,
  parts: CommandDependencies,
): Promise<void> {
  const store = await openStore(location);
  try {
    await upgradeOffline(store, flags, parts);
  } finally {
    await store.close();
  }
}

async function pruneClientsCommand(): Promise<number> {
  const { olderThan: age, name, namespace, skipConfirm, dryRun } = cli.flags;
  const olderThan = age === undefined ? undefined : parseDuration(age);
  if (age !== undefined && olderThan === undefined) throw new MonError('invalid', `--older-than: ${DURATION_HINT}`);
  const { config, parts } = await commandDependencies();
  await pruneCommand(config.program, { olderThan, name, namespace, skipConfirm, dryRun }, parts);
  return 0;
}

function upgradeAddress(through: string, stateDir: string): BackendAddress {
  const { trustedCaFile, insecureSkipTlsVerify } = cli.flags;
  const isUnverified = insecureSkipTlsVerify ? true : undefined;
  const env = { ...process.env, ...tlsVariables({ trustedCaFile, isUnverified }) };
  const warning = addressWarning(through, env);
  if (warning !== undefined) process.stderr.write(`mon-backend: ${warning}\n`);
  return backendAddress(through, { env, stateDir });
}

async function restoreBackupCommand([dir, ...more]: readonly string[]): Promise<number> {
  if (dir === undefined || more.length > 0) {
    throw new MonError('invalid', 'missing argument: use mon-backend restore-backup DIR');
  }
  const { config, parts } = await commandDependencies();
  if (config.program.store !== undefined) {
    throw new MonError(
      'invalid',
      'mon-backend restore-backup cannot write to the database in the setting store: ' +
        `empty the database, and run mon-backend migrate-store --from ${dir}/store --to URL`,
    );
  }
  const flags = { skipConfirm: cli.flags.skipConfirm, backup: backupFlag() };
  await restoreCommand(dir, config.program['state-dir'], flags, parts);
  return 0;
}

async function repairStoreCommand([dir, ...more]: readonly string[]): Promise<number> {
  if (dir === undefined || more.length > 0) {
    throw new MonError('invalid', 'missing argument: use mon-backend repair DIR');
  }
  const { parts } = await commandDependencies();
  const { schema } = cli.flags;
  if (schema !== undefined && !(Number.isInteger(schema) && schema >= 1)) {
    throw new MonError('invalid', '--schema must be a whole number');
  }
  await repairCommand(dir, { log: parts.log, print: printToStdout, signal: parts.stop.signal, schema });
  return 0;
}

function backupFlag(): UpgradeFlags['backup'] {
  return cli.flags.backup && { dir: cli.flags.backupDir };
}

/**
 * Returns the configuration and the dependencies of a command that changes a store, such as `upgrade`. SIGINT and
 * SIGTERM stop such a command at a point from which the next run can continue.
 */
async function commandDependencies(): Promise<{ readonly config: LoadedConfig; readonly parts: CommandDependencies }> {
  const config = await loadConfig();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () =>
      stop.abort(
        new MonError('unavailable', `the command was stopped by ${signal}: run the same command again to continue`),
      ),
    );
  }
  // Commands log to standard output at level `info`, unless flags select a file or level. The log settings of the
  // backend are ignored.
  const { log: file, logLevel } = cli.flags;
  const log = openLog({
    'log-level': logLevel === undefined ? 'info' : config.program['log-level'],
    'request-log-level': 'info',
    ...(file === undefined ? {} : { log: file }),
  });
  return { config, parts: { clock: new SystemClock(), log, ask: askYesNo, print: printToStdout, stop } };
}

function printToStdout(line: string): void {
  process.stdout.write(line);
}

async function startCommand(): Promise<number> {
  limitHeapGrowth();
  const config = await loadConfig();
  const log = openLog(config.program);
  for (const warning of config.warnings) log.warn({}, warning);
  return await runUntilStopped(config, loadConfig, log);
}

function openLog({
  'log-level': level,
  'request-log-level': requestLevel,
  log: file,
}: Pick<ProgramSettings, 'log-level' | 'request-log-level' | 'log'>): ProgramLog {
  const destination = openLogFile(file);
  const log = createLog({ component: 'backend', level, requestLevel, destination });
  process.on('exit', () => destination.flush());
  process.on('SIGUSR2', () => destination.reopen());
  process.on('SIGTRAP', () => {
    log.level = log.level === 'debug' ? (level === 'debug' ? 'info' : level) : 'debug';
  });
  return log;
}

function openLogFile(file: string | undefined): LineWriter {
  try {
    return new LineWriter(file);
  } catch (error) {
    throw new MonError('invalid', `the log cannot be written to ${String(file)}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function runUntilStopped(
  config: LoadedConfig,
  reload: () => Promise<LoadedConfig>,
  log: ProgramLog,
): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
  let started = Promise.withResolvers<Backend>();
  process.on('SIGHUP', () => {
    log.info({}, 'reloading the configuration');
    started.promise
      .then((running) => running.reload())
      .catch((error: unknown) => log.error({ reason: errorMessage(error) }, 'reload failed'));
  });
  const { 'state-dir': stateDir, log: logFile } = config.program;
  const clock = new SystemClock();
  using manager = openServiceManager({ env: process.env, clock, log });
  const onAccepted = ({ damages, evidence }: AcceptedLoss): void =>
    log.warn(
      { damages, evidence },
      'store has lost writes: continuing with the remaining data; copies of the damaged files were kept',
    );
  const loss = cli.flags.acceptLoss ? { onAccepted } : undefined;
  const options: BackendOptions = {
    config,
    loadConfig: reload,
    ...storeAccess(config.program, { writeBufferBytes: writeBufferBytes(config.program['disk-floor']), loss }),
    stop: stop.signal,
    clock,
    log,
    logRequest: log.logRequest,
    bind: config.api.bind,
    port: config.api.port,
    isInsecureAllowed: cli.flags.insecure,
    localDirectories: { stateDir, runtimeDir: runtimeDirectory() },
  };
  // The listener is added before the loop, so that it also receives a signal while the backend restarts as a follower.
  const stopped = once(stop.signal, 'abort').then(() => undefined);
  let { port } = options;
  let reloaded: LoadedConfig | undefined;
  let stalls: Disposable | undefined;
  for (;;) {
    const backend = await composeUnlessStopped({ ...options, reloaded, port }, stop.signal);
    if (backend === undefined) return 0;
    started.resolve(backend);
    if (stalls === undefined) await warnOfReaders({ stateDir, logFile }, log);
    // Event loop stalls are logged only from here on, because they are expected while the backend starts.
    stalls = watchStalls({ clock, log });
    const { url, agentUrl } = backend;
    log.info({ url, agent_url: agentUrl, state_dir: stateDir, version: VERSION }, 'backend started');
    manager.ready(`serving at ${url}`);
    const lost = await Promise.race([stopped, backend.leadershipLost]);
    if (lost === undefined) {
      log.info({}, 'backend stopping');
      manager.stopping();
    } else log.warn({ reason: lost.message }, 'this member is no longer the leader: it continues as a follower');
    stalls[Symbol.dispose]();
    started = Promise.withResolvers();
    await backend.stop();
    if (lost === undefined) break;
    reloaded = backend.config;
    // A port that the operating system selected is reused, because connected peers reconnect to it.
    if (port === 0) port = Number(new URL(url).port);
  }
  log.info({}, 'backend stopped');
  return 0;
}

async function composeUnlessStopped(options: BackendOptions, stop: AbortSignal): Promise<Backend | undefined> {
  try {
    return await compose(options);
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  }
}
