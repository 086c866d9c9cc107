import meow from 'meow';
import { errorMessage } from '../../shared/errors.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { installedSources, type Installation } from '../settings/installation.ts';
import type { ConfigSources } from './config/load-config.ts';

/** The text of `mon-backend --help`. */
export const BACKEND_HELP_TEXT = `
  Usage
    mon-backend start [options]              Run the backend until it is stopped
    mon-backend init [options]               Create the first administrator (backend stopped)
    mon-backend --validate-config [options]  Check the configuration and exit; --strict treats
                                             warnings as errors
    mon-backend upgrade [options]            Migrate the store to the schema of this version
    mon-backend prune [options]              Delete clients from the store (backend stopped)
    mon-backend restore-backup DIR           Replace the store with a backup of an upgrade
    mon-backend migrate-store [options]      Copy a store from a directory to a database, or back (backend stopped)
    mon-backend repair DIR                   Salvage a damaged state directory into a copy
    mon-backend hash-password                Hash a password from standard input for api.password
    mon-backend version                      Show the version

  Options
    -c, --config FILE      Main configuration file (JSON, or YAML when it ends in .yml or .yaml)
    -d, --config-dir DIR   Directories with more configuration files, comma-separated. Default of an installed
                           package: /etc/mon/backend.yml and /etc/mon/conf.d, unless -c or -d is set
    --state-dir DIR        Directory of the store (default: ./var/backend; installed: /var/lib/mon/mon-backend)
    --store URL            Use a PostgreSQL store: postgres://USER@HOST:PORT/DATABASE; pass the password in MON_STORE,
                           PGPASSWORD or ~/.pgpass, because the process list shows command lines
    --bind ADDR            Address to listen on (default: 127.0.0.1)
    --port N               Port to listen on (default: 4567)
    -l, --log FILE         Write the log to a file instead of standard output
    -L, --log-level LEVEL  debug, info, warn, error or fatal (default: info)
    --insecure             Allow access without credentials on an address that other hosts can reach
    --accept-loss          Start although the store lost writes; copy the damaged files first
    --cert-file FILE       Certificate (PEM) of the listeners; enables TLS
    --key-file FILE        Private key (PEM), mode 0600, without a passphrase
    --client-ca-file FILE  CA certificates (PEM) that verify agent certificates
    --insecure-http        Allow HTTP without TLS on an address that other hosts can reach

  Options of prune, in addition to --dry-run and --skip-confirm. Clients that match all conditions are deleted with
  their results and events; no handler is notified
    --older-than DURATION  Clients without keepalives and results for this long: 30d, 12h
    --name PATTERN         Clients whose name matches this pattern with * and ?
    --namespace NAME       Clients of this namespace

  Options of migrate-store
    --from STORE           Source, which is not changed: a state directory, or the URL of a database
    --to STORE             Target: a new directory, or the URL of an empty database

  Options of upgrade, and the first three of restore-backup
    --skip-confirm         Do not ask for confirmation
    --no-backup            Do not take a backup of the store first
    --backup-dir DIR       Directory of the backup (default: a new directory below "backups" in the state directory)
    --timeout SECONDS      Stop the upgrade after this time; the next run continues it
    --dry-run              Show the steps and what blocks them, but change nothing
    --through URL          Upgrade the store of the running backend at this URL; credentials as for monctl, in
                           MON_API_KEY or MON_CREDENTIALS. Not needed for the backend of this state directory
    --schema N             With repair: schema version of the store, if the store no longer contains it
    --trusted-ca-file FILE With --through: verify the backend certificate with these CA certificates (PEM)
    --insecure-skip-tls-verify
                           With --through: do not verify the certificate of the backend (testing only)
    --ignore-already-initialized
                           With init: succeed if an administrator exists already

  Environment (overridden by configuration files)
    MON_STATE_DIR, MON_STORE, MON_BIND, MON_PORT, MON_LOG, MON_LOG_LEVEL, MON_REQUEST_LOG_LEVEL
    MON_CERT_FILE, MON_KEY_FILE, MON_CLIENT_CA_FILE, MON_PEER_KEY_FILE
    MON_CREDENTIALS_FILE   File with one line: user:password, or user: followed by the password hash
    MON_ADMIN_USERNAME, MON_ADMIN_PASSWORD or MON_ADMIN_PASSWORD_FILE
                           With init: administrator to create; a terminal prompts for missing values

  Signals
    TERM, INT  stop                 HUP   reload the configuration
    USR2       reopen the log file  TRAP  toggle log level debug

  Exit codes
    0  stopped on request, done, or the configuration is valid
    1  failure, or canceled by the operator
    2  invalid usage or configuration, state directory in use, or upgrade blocked
    3  init: an administrator exists already

  Examples
    mon-backend init --state-dir /var/lib/mon/mon-backend
    mon-backend start --state-dir /var/lib/mon/mon-backend -d /etc/mon/conf.d
    mon-backend start --bind 0.0.0.0 --cert-file /etc/mon/tls/cert.pem --key-file /etc/mon/tls/key.pem
    mon-backend start -c /etc/mon/backend.yml --log /var/log/mon/backend.log
    mon-backend --validate-config -c /etc/mon/backend.yml -d /etc/mon/conf.d
    mon-backend prune --older-than 30d --name 'ci-*' --dry-run --state-dir /var/lib/mon/mon-backend
    mon-backend upgrade --dry-run --state-dir /var/lib/mon/mon-backend
    mon-backend upgrade --skip-confirm --through http://127.0.0.1:4567
`;

/** Exit code for invalid usage or configuration. */
export const EXIT_USAGE = 2;

const parseWithMeow = (argv: readonly string[]) =>
  meow(BACKEND_HELP_TEXT, {
    importMeta: import.meta,
    argv,
    // `meow` also sets the process title to this name.
    pkg: { name: 'mon-backend' },
    description: 'mon-backend: stores check results, turns them into events and serves the API',
    version: VERSION,
    allowUnknownFlags: false,
    flags: {
      stateDir: { type: 'string' },
      store: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      bind: { type: 'string' },
      port: { type: 'number' },
      config: { type: 'string', shortFlag: 'c' },
      configDir: { type: 'string', shortFlag: 'd', isMultiple: true },
      log: { type: 'string', shortFlag: 'l' },
      logLevel: { type: 'string', shortFlag: 'L' },
      validateConfig: { type: 'boolean', default: false, aliases: ['validate_config'] },
      strict: { type: 'boolean', default: false },
      insecure: { type: 'boolean', default: false },
      acceptLoss: { type: 'boolean', default: false },
      schema: { type: 'number' },
      insecureHttp: { type: 'boolean', default: false },
      certFile: { type: 'string' },
      keyFile: { type: 'string' },
      clientCaFile: { type: 'string' },
      trustedCaFile: { type: 'string' },
      insecureSkipTlsVerify: { type: 'boolean', default: false },
      skipConfirm: { type: 'boolean', default: false },
      backup: { type: 'boolean', default: true },
      backupDir: { type: 'string' },
      timeout: { type: 'number' },
      dryRun: { type: 'boolean', default: false },
      through: { type: 'string' },
      olderThan: { type: 'string' },
      name: { type: 'string' },
      namespace: { type: 'string' },
      ignoreAlreadyInitialized: { type: 'boolean', default: false },
    },
  });

/** Parses the command line. If it is invalid, prints the reason and exits. */
export function parseBackendArguments(
  argv: readonly string[] = process.argv.slice(2),
): ReturnType<typeof parseWithMeow> {
  try {
    return parseWithMeow(argv);
  } catch (error) {
    // An example of an error is a flag that is set twice.
    process.stderr.write(`mon-backend: ${errorMessage(error)}\n`);
    process.exit(EXIT_USAGE);
  }
}

/** Returns the sources of the configuration: files, environment variables and command line flags. */
export function configSources(
  flags: ReturnType<typeof parseWithMeow>['flags'],
  installation: Installation | undefined,
): ConfigSources {
  const { config, configDir, stateDir, store, bind, port, log, logLevel } = flags;
  const { certFile, keyFile, clientCaFile, insecureHttp } = flags;
  const api = withoutUndefined({ bind, port });
  const tls = withoutUndefined({ 'cert-file': certFile, 'key-file': keyFile, 'client-ca-file': clientCaFile });
  const named = {
    file: config,
    directories: (configDir ?? []).flatMap((list) => list.split(',')).filter((dir) => dir !== ''),
  };
  const { file, directories } = installedSources(named, installation);
  return {
    ...(file === undefined ? {} : { file }),
    directories,
    env: process.env,
    flags: {
      ...withoutUndefined({ 'state-dir': stateDir, store, log, 'log-level': logLevel }),
      ...(Object.keys(api).length === 0 ? {} : { api }),
      ...(Object.keys(tls).length === 0 ? {} : { tls }),
      ...(insecureHttp ? { 'insecure-http': true } : {}),
    },
  };
}
