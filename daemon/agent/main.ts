import meow from 'meow';
import { errorMessage, MonError } from '../../shared/errors.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import type { Settings } from '../../shared/domain/merge-settings.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { openServiceManager } from '../service/service-manager.ts';
import { installedSources, readInstallation } from '../settings/installation.ts';
import { LineWriter } from '../log/line-writer.ts';
import { createLog, type ProgramLog } from '../log/log.ts';
import { makePrivately } from '../private-files/umask.ts';
import { warnOfReaders } from '../private-files/warn-of-readers.ts';
import { unverifiedWarning } from '../../shared/client/backend-address.ts';
import { agentAddresses } from './agent-address.ts';
import { readKeyFile } from './agent-key.ts';
import { openAgentTls } from './agent-tls.ts';
import { clientIdentity, type ClientIdentity } from './client-record.ts';
import type { AgentSettings } from './agent-settings.ts';
import { composeAgent, type Agent, type AgentConfig } from './compose.ts';
import { AGENT_HELP_TEXT } from './help.ts';
import { readAgentConfig, type LoadedAgentConfig } from './load-config.ts';
import { Signals } from './signals.ts';

const cli = meow(AGENT_HELP_TEXT, {
  importMeta: import.meta,
  // `meow` also uses this name as the process title.
  pkg: { name: 'mon-agent' },
  description: 'mon-agent: runs the checks of this host and sends their results to a backend',
  autoVersion: false,
  allowUnknownFlags: false,
  // Without `booleanDefault`, an absent boolean flag would be `false` and override the configuration files.
  booleanDefault: undefined,
  flags: {
    backend: { type: 'string' },
    namespace: { type: 'string' },
    name: { type: 'string' },
    address: { type: 'string' },
    subscriptions: { type: 'string', isMultiple: true },
    stateDir: { type: 'string' },
    config: { type: 'string', shortFlag: 'c' },
    configDir: { type: 'string', shortFlag: 'd', isMultiple: true },
    maxChecks: { type: 'number' },
    log: { type: 'string', shortFlag: 'l' },
    logLevel: { type: 'string', shortFlag: 'L' },
    trustedCaFile: { type: 'string' },
    insecureSkipTlsVerify: { type: 'boolean' },
    certFile: { type: 'string' },
    keyFile: { type: 'string' },
  },
});

// `meow` handles `--help` only if it is the sole argument; without this line `start --help` would start the agent.
if (cli.flags['help'] === true) cli.showHelp(0);

makePrivately();

try {
  const [command, ...extraArguments] = cli.input;
  if (command === 'version' && extraArguments.length === 0) process.stdout.write(`mon-agent version ${VERSION}\n`);
  else if (command === 'start' && extraArguments.length === 0) await startAgentCommand();
  else throw new MonError('invalid', 'usage: mon-agent start | version; see mon-agent --help');
} catch (error) {
  process.stderr.write(`mon-agent: ${errorMessage(error)}\n`);
  process.exitCode = error instanceof MonError && (error.code === 'invalid' || error.code === 'conflict') ? 2 : 1;
}

/** The configuration from flags, files and environment variables. A reload reads it again. */
interface ResolvedConfig {
  readonly program: AgentSettings;
  readonly definitions: Omit<LoadedAgentConfig, 'agent'>;
  readonly identity: ClientIdentity;
  /** The API key for the backend; undefined if none is configured in a file or in the settings. */
  readonly secret: string | undefined;
}

/**
 * Reads and validates the configuration, except the TLS files and the backend URLs, which `prepareConfig` validates.
 *
 * @throws MonError `invalid`
 */
async function resolveConfig(): Promise<ResolvedConfig> {
  const { flags } = cli;
  const installation = readInstallation('mon-agent');
  const named = { file: flags.config, directories: commaSeparated(flags.configDir) };
  const { agent: program, ...definitions } = await readAgentConfig({
    ...installedSources(named, installation),
    env: process.env,
    flags: programFlags(),
    stateDir: installation?.stateDir,
  });
  const subscriptions = commaSeparated(flags.subscriptions);
  const identity = clientIdentity(
    {
      name: flags.name,
      address: flags.address,
      subscriptions: subscriptions.length > 0 ? subscriptions : undefined,
    },
    definitions.client,
  );
  const { 'api-key': key, 'api-key-file': keyFile } = program;
  return { program, definitions, identity, secret: keyFile === undefined ? key : await readKeyFile(keyFile) };
}

/** A resolved configuration, with the validated values from which the agent is composed. */
interface PreparedConfig extends ResolvedConfig {
  readonly config: AgentConfig;
}

interface ProgramDependencies {
  readonly clock: SystemClock;
  readonly log: ProgramLog;
}

async function startAgentCommand(): Promise<void> {
  const resolvedConfig = await resolveConfig();
  const destination = new LineWriter(resolvedConfig.program.log);
  const log = createLog({ component: 'agent', level: resolvedConfig.program['log-level'], destination });
  const clock = new SystemClock();
  const signals = new Signals();
  using manager = openServiceManager({ env: process.env, clock, log });
  let ready = prepareConfig(resolvedConfig, { clock, log });
  for (;;) {
    log.level = ready.program['log-level'];
    const { agent, doing } = await startPreparedAgent(ready, { clock, log });
    manager.ready(doing);
    const next = await nextConfig(signals, { clock, log });
    if (next === undefined) {
      manager.stopping();
      void signals.next().then(() => agent.killRunningChecks());
      await agent.stop();
      break;
    }
    await agent.stop({ comesBack: true });
    ready = next;
  }
  log.info({}, 'agent stopped');
  process.exit(0);
}

/**
 * Prepares the configuration of an agent. Errors in it are detected here, while the previous agent still runs.
 *
 * @throws MonError `invalid`
 */
function prepareConfig(resolvedConfig: ResolvedConfig, { clock, log }: ProgramDependencies): PreparedConfig {
  const { program, definitions, identity, secret } = resolvedConfig;
  const config = {
    tls: openAgentTls(program, { clock, log }),
    backends: agentAddresses(program.backend, identity.name, process.env, secret),
    namespace: program.namespace,
    identity,
    checks: definitions.checks,
    settings: definitions.settings,
    files: definitions.files,
    stateDir: program['state-dir'],
    runningMax: program['max-checks'],
  };
  return { ...resolvedConfig, config };
}

async function startPreparedAgent(
  { program, definitions, identity, config }: PreparedConfig,
  { clock, log }: ProgramDependencies,
): Promise<{ readonly agent: Agent; /** The status that the service manager displays. */ readonly doing: string }> {
  for (const warning of definitions.warnings) log.warn({}, warning);
  const { namespace } = program;
  const urls = config.backends.map(({ url }) => url).join(', ');
  if (program['insecure-skip-tls-verify']) log.warn({}, unverifiedWarning(urls));
  const agent = await composeAgent(config, { clock, log, random: Math.random });
  await warnOfReaders({ stateDir: config.stateDir, logFile: program.log }, log);
  const { name, subscriptions } = identity;
  log.info({ namespace, client: name, subscriptions, backend: urls, version: VERSION }, 'agent started');
  // Connect only after the log record `agent started`, so that the state of the connection is logged after it.
  agent.connect();
  return { agent, doing: `running the checks of ${name} for ${urls}` };
}

/**
 * Waits for a signal. A SIGHUP reloads the configuration, and an invalid one is only logged.
 *
 * @returns the reloaded configuration; undefined if another signal requests a stop
 */
async function nextConfig(signals: Signals, { clock, log }: ProgramDependencies): Promise<PreparedConfig | undefined> {
  for (;;) {
    const signal = await signals.next();
    if (signal !== 'SIGHUP') {
      log.info({ signal }, 'agent stopping');
      return undefined;
    }
    log.info({}, 'reloading the configuration');
    try {
      return prepareConfig(await resolveConfig(), { clock, log });
    } catch (error) {
      log.error({ reason: errorMessage(error) }, 'configuration is invalid: the agent keeps its current configuration');
    }
  }
}

/** Returns the settings of the `agent` section from the command line. Absent flags are omitted. */
function programFlags(): Settings {
  const { backend, namespace, stateDir, maxChecks, log, logLevel } = cli.flags;
  const { trustedCaFile, insecureSkipTlsVerify, certFile, keyFile } = cli.flags;
  const agent = withoutUndefined({
    backend,
    namespace,
    'state-dir': stateDir,
    'max-checks': maxChecks,
    log,
    'log-level': logLevel,
    'trusted-ca-file': trustedCaFile,
    'insecure-skip-tls-verify': insecureSkipTlsVerify,
    'cert-file': certFile,
    'key-file': keyFile,
  });
  return Object.keys(agent).length === 0 ? {} : { agent };
}

function commaSeparated(lists: readonly string[] | undefined): string[] {
  return (lists ?? []).flatMap((list) => list.split(',')).filter((item) => item !== '');
}
