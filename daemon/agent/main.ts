import meow from 'meow';
import { errorMessage, MonError } from '../../shared/errors.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/schemas/settings.ts';
import { LineWriter } from '../log/line-writer.ts';
import { createLog } from '../log/log.ts';
import { agentAddress } from './agent-address.ts';
import { clientIdentity } from './client-record.ts';
import { compose, type AgentConfig } from './compose.ts';
import { loadDefinitions } from './config.ts';

const HELP = `
Usage
  mon-agent start [options]   run until stopped
  mon-agent version           print the version

Options
  --backend URL               where the backend is; default http://127.0.0.1:4567
  --name NAME                 name of this client; default the host name
  --address ADDRESS           address of this client; default its first IPv4 address
  --subscriptions A,B         subscriptions of this client; client:NAME is always added
  --state-dir DIR             where results wait for the backend; default var/agent
  -d, --config-dir DIR,DIR    directories with definitions (*.json: "checks", "client")
  --log-level LEVEL           ${LOG_LEVELS.join(', ')}; default info

Environment
  MON_AGENT_CREDENTIALS       user:password for the backend; better than in the URL,
                              which other users of this machine can see

The log goes to standard output, one JSON object per line.
Exit codes: 0 stopped by a signal, 1 failure, 2 wrong usage, definitions or state directory in use

Examples
  mon-agent start --backend http://mon.example.org:4567 --subscriptions web,all -d /etc/mon/conf.d
`;

const cli = meow(HELP, {
  importMeta: import.meta,
  description: 'mon-agent: runs the checks of this machine and reports to a backend',
  autoVersion: false,
  allowUnknownFlags: false,
  flags: {
    backend: { type: 'string', default: 'http://127.0.0.1:4567' },
    name: { type: 'string' },
    address: { type: 'string' },
    subscriptions: { type: 'string', isMultiple: true },
    stateDir: { type: 'string', default: 'var/agent' },
    configDir: { type: 'string', shortFlag: 'd', isMultiple: true },
    logLevel: { type: 'string', default: 'info' },
  },
});

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
  const log = createLog({
    component: 'agent',
    level: parseLogLevel(flags.logLevel),
    destination: new LineWriter(undefined),
  });
  const definitions = await loadDefinitions(commaSeparated(flags.configDir));
  for (const warning of definitions.warnings) log.warn({}, warning);
  const subscriptions = commaSeparated(flags.subscriptions);
  const config: AgentConfig = {
    backend: agentAddress(flags.backend, process.env),
    identity: clientIdentity(
      {
        name: flags.name,
        address: flags.address,
        subscriptions: subscriptions.length > 0 ? subscriptions : undefined,
      },
      definitions.client,
    ),
    checks: definitions.checks,
    stateDir: flags.stateDir,
  };
  const agent = await compose(config, { clock: new SystemClock(), log, chance: Math.random });
  const { name, subscriptions: joined } = config.identity;
  log.info({ client: name, subscriptions: joined, backend: config.backend.url, version: VERSION }, 'agent started');

  const signal = await nextSignal();
  log.info({ signal }, 'agent stopping');
  void nextSignal().then(() => agent.hurry());
  await agent.stop();
  log.info({}, 'agent stopped');
  process.exit(0);
}

function parseLogLevel(text: string): LogLevel {
  const known = LOG_LEVELS.find((level) => level === text);
  if (known === undefined) throw new MonError('invalid', `--log-level must be one of ${LOG_LEVELS.join(', ')}`);
  return known;
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
