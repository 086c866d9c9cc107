import meow from 'meow';
import { errorMessage, MonError } from '../../shared/errors.ts';
import type { Settings } from '../../shared/domain/merge-settings.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { LOG_LEVELS } from '../../shared/schemas/settings.ts';
import { installedSources, readInstallation } from '../settings/installation.ts';
import { LineWriter } from '../log/line-writer.ts';
import { createLog } from '../log/log.ts';
import { makePrivately } from '../private-files/umask.ts';
import { warnOfReaders } from '../private-files/warn-of-readers.ts';
import { unverifiedWarning } from '../../shared/client/backend-address.ts';
import { agentAddresses } from './agent-address.ts';
import { readKeyFile } from './agent-key.ts';
import { openAgentTls } from './agent-tls.ts';
import { clientIdentity } from './client-record.ts';
import { compose, type AgentConfig } from './compose.ts';
import { loadConfig } from './load-config.ts';

const HELP = `
Usage
  mon-agent start [options]   run until stopped
  mon-agent version           print the version

Options
  --backend URL               where the backend is; default http://127.0.0.1:4567. Several with commas: each agent
                              tries them in an order of its own, and the next one when it loses one
  --namespace NAME            namespace of the backend that this client belongs to; default default
  --name NAME                 name of this client; default the host name
  --address ADDRESS           address of this client; default its first IPv4 address
  --subscriptions A,B         subscriptions of this client; client:NAME is always added
  --state-dir DIR             where results wait for the backend; default var/agent; installed:
                              /var/lib/mon-agent
  -c, --config FILE           main configuration file: "agent", "client" and "checks"
                              (JSON, or YAML when it ends in .yml or .yaml)
  -d, --config-dir DIR,DIR    directories of further files (*.json, *.yml, *.yaml). Installed, and with neither of both:
                              /etc/mon/agent.yml and /etc/mon/agent.d
  --trusted-ca-file FILE      authorities (PEM) that the certificate of the backend may come from
  --insecure-skip-tls-verify  believe anybody to be the backend, for a test
  --cert-file, --key-file FILE
                              certificate (PEM) that says which client this is, and its key, mode 0600
  --max-checks N              checks that run at once, others wait; default 12
  -l, --log FILE              write the log to a file instead of standard output
  -L, --log-level LEVEL       ${LOG_LEVELS.join(', ')}; default info

Environment, beneath what the files say
  MON_AGENT_BACKEND, MON_AGENT_NAMESPACE, MON_AGENT_NAME, MON_AGENT_ADDRESS, MON_AGENT_SUBSCRIPTIONS,
  MON_AGENT_STATE_DIR, MON_AGENT_MAX_CHECKS, MON_AGENT_LOG, MON_AGENT_LOG_LEVEL, MON_AGENT_TRUSTED_CA_FILE,
  MON_AGENT_INSECURE_SKIP_TLS_VERIFY (true or false), MON_AGENT_CERT_FILE, MON_AGENT_KEY_FILE
  MON_API_KEY                 an API key for the backend, with the scope "submit"
  MON_AGENT_API_KEY_FILE      file with the key, mode 0600
  MON_AGENT_CREDENTIALS       user:password for the backend; better than in the URL,
                              which other users of this machine can see

Signals
  TERM, INT  stop: let running checks finish for some seconds; once more: at once

Exit codes: 0 stopped by a signal, 1 failure, 2 wrong usage, definitions or state directory in use

Examples
  mon-agent start --backend http://mon.example.org:4567 --subscriptions web,all -d /etc/mon/conf.d
  mon-agent start -c /etc/mon/agent.yml
  mon-agent start --backend https://mon.example.org:4567 --trusted-ca-file /etc/mon/ca.pem
`;

const cli = meow(HELP, {
  importMeta: import.meta,
  description: 'mon-agent: runs the checks of this machine and reports to a backend',
  autoVersion: false,
  allowUnknownFlags: false,
  // Not given is another thing than refused: then the files decide.
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

// By itself it only counts where it stands alone, and `start --help` would start.
if (cli.flags['help'] === true) cli.showHelp(0);

makePrivately();

try {
  const [command, ...rest] = cli.input;
  if (command === 'version' && rest.length === 0) process.stdout.write(`mon-agent version ${VERSION}\n`);
  else if (command === 'start' && rest.length === 0) await start();
  else throw new MonError('invalid', 'usage: mon-agent start | version; see mon-agent --help');
} catch (error) {
  process.stderr.write(`mon-agent: ${errorMessage(error)}\n`);
  process.exitCode = error instanceof MonError && (error.code === 'invalid' || error.code === 'conflict') ? 2 : 1;
}

async function start(): Promise<void> {
  const { flags } = cli;
  const installation = readInstallation('mon-agent');
  const named = { file: flags.config, directories: commaSeparated(flags.configDir) };
  const { agent: program, ...definitions } = await loadConfig({
    ...installedSources(named, installation),
    env: process.env,
    flags: programFlags(),
    stateDir: installation?.stateDir,
  });
  const log = createLog({
    component: 'agent',
    level: program['log-level'],
    destination: new LineWriter(program.log),
  });
  for (const warning of definitions.warnings) log.warn({}, warning);
  const subscriptions = commaSeparated(flags.subscriptions);
  const { api_key: key, api_key_file: keyFile } = program;
  const secret = keyFile === undefined ? key : await readKeyFile(keyFile);
  const identity = clientIdentity(
    {
      name: flags.name,
      address: flags.address,
      subscriptions: subscriptions.length > 0 ? subscriptions : undefined,
    },
    definitions.client,
  );
  const clock = new SystemClock();
  const config: AgentConfig = {
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
  const urls = config.backends.map(({ url }) => url).join(', ');
  if (program['insecure-skip-tls-verify']) log.warn({}, unverifiedWarning(urls));
  const agent = await compose(config, { clock, log, chance: Math.random });
  await warnOfReaders({ stateDir: config.stateDir, logFile: program.log }, log);
  const { name, subscriptions: joined } = config.identity;
  const { namespace } = program;
  log.info({ namespace, client: name, subscriptions: joined, backend: urls, version: VERSION }, 'agent started');
  // After that line: what becomes of the connection is told later than the start, however slow the machine.
  agent.connect();

  const signal = await nextSignal();
  log.info({ signal }, 'agent stopping');
  void nextSignal().then(() => agent.hurry());
  await agent.stop();
  log.info({}, 'agent stopped');
  process.exit(0);
}

/** What the command line says about the program itself; what it does not say is left out. */
function programFlags(): Settings {
  const { backend, namespace, stateDir, maxChecks, log, logLevel } = cli.flags;
  const { trustedCaFile, insecureSkipTlsVerify, certFile, keyFile } = cli.flags;
  const given = {
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
  };
  const agent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return Object.keys(agent).length === 0 ? {} : { agent };
}

async function nextSignal(): Promise<NodeJS.Signals> {
  return await new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

function commaSeparated(lists: readonly string[] | undefined): string[] {
  return (lists ?? []).flatMap((list) => list.split(',')).filter((item) => item !== '');
}
