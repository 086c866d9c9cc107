import meow from 'meow';
import { errorMessage } from '../../shared/errors.ts';
import { given } from '../../shared/domain/given.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { installedSources, type Installation } from '../settings/installation.ts';
import type { ConfigSources } from './config/load-config.ts';

/** What `mon-backend --help` says. */
export const HELP = `
  Usage
    mon-backend start [options]              Run the backend until it is stopped
    mon-backend init [options]               Make the first administrator, while no backend runs
    mon-backend --validate-config [options]  Look through the configuration and start nothing; with --strict, what is
                                             only warned of makes it invalid too
    mon-backend upgrade [options]            Bring the store to the form that this version writes
    mon-backend prune [options]              Delete clients from the store, while no backend runs
    mon-backend restore-backup DIR           Put a backup, as an upgrade takes it, in the place of the store
    mon-backend migrate-store [options]      Copy a store that no backend serves from a directory into a database, or back
    mon-backend repair DIR                   Bring together, in a copy, what is left of a damaged state directory
    mon-backend hash-password                Read a password from standard input, print what to put into api.password
    mon-backend version                      Show the version

  Options
    -c, --config FILE      Main configuration file (JSON, or YAML when it ends in .yml or .yaml)
    -d, --config-dir DIR   Directories of further files, comma-separated. Installed, and with neither of both:
                           /etc/mon/backend.yml and /etc/mon/conf.d
    --state-dir DIR        Where everything is stored (default: ./var/backend; installed: /var/lib/mon/mon-backend)
    --store URL            Store everything in this PostgreSQL instead: postgres://USER@HOST:PORT/DATABASE; the password
                           in MON_STORE, PGPASSWORD or ~/.pgpass, where the list of processes does not show it
    --bind ADDR            Address to listen on (default: 127.0.0.1)
    --port N               Port to listen on (default: 4567)
    -l, --log FILE         Write the log to a file instead of standard output
    -L, --log-level LEVEL  debug, info, warn, error or fatal (default: info)
    --insecure             Allow an address that others can reach although no credentials are set
    --accept-loss          Serve a store that lost writes, after the damaged files were copied aside
    --cert-file FILE       Certificate (PEM) of the listeners: they speak TLS
    --key-file FILE        Its key (PEM), mode 0600, without a passphrase
    --client-ca-file FILE  Authorities (PEM) whose certificates say which agent shows them
    --insecure-http        Allow an address that others can reach without TLS

  Options of prune, which also has --dry-run and --skip-confirm; a client goes when all of them hold, with its results
  and events, of which no handler hears
    --older-than DURATION  No sign of life and no result has come for so long: 30d, 12h
    --name PATTERN         Its name matches, with * and ?
    --namespace NAME       It is in this namespace

  Options of migrate-store
    --from PLACE           What is copied, and stays as it is: a state directory, or the URL of a database
    --to PLACE             Where to: a directory that is not there yet, or the URL of an empty database

  Options of upgrade, and the first three of restore-backup
    --skip-confirm         Do not ask
    --no-backup            Do not take a backup of the store first
    --backup-dir DIR       Where the backup goes (default: one of its own in DIR of the state, under backups)
    --timeout SECONDS      Stop after this time; the next run goes on
    --dry-run              Say what would be done and what stands in the way
    --through URL          Have the backend that runs there do it, while it serves; credentials as for monctl,
                           in MON_API_KEY or MON_CREDENTIALS. The backend of the state directory is found without
    --schema N             repair: the form of the store, when that is among what is lost
    --trusted-ca-file FILE With --through: authorities (PEM) that the certificate of the backend may come from
    --insecure-skip-tls-verify
                           With --through: believe anybody to be the backend, for a test
    --ignore-already-initialized
                           init: it is fine when there is an administrator already

  Environment, beneath what the files say
    MON_STATE_DIR, MON_STORE, MON_BIND, MON_PORT, MON_LOG, MON_LOG_LEVEL, MON_REQUEST_LOG_LEVEL
    MON_CERT_FILE, MON_KEY_FILE, MON_CLIENT_CA_FILE
    MON_CREDENTIALS_FILE   File with one line user:password, or user: and the hash of the password
    MON_ADMIN_USERNAME, MON_ADMIN_PASSWORD or MON_ADMIN_PASSWORD_FILE
                           init: the administrator to make; on a terminal, what is missing is asked

  Signals
    TERM, INT  stop          HUP   read the configuration again
    USR2       reopen --log  TRAP  log level debug, and back

  Exit codes
    0  stopped on request, or done, or the configuration is valid
    1  could not go on, or the operator said no
    2  wrong usage or configuration, another backend holds the state directory, or something stands in the way of an upgrade
    3  init: there is an administrator already

  Examples
    mon-backend init --state-dir /var/lib/mon
    mon-backend start --state-dir /var/lib/mon -d /etc/mon/conf.d
    mon-backend start --bind 0.0.0.0 --cert-file /etc/mon/tls/cert.pem --key-file /etc/mon/tls/key.pem
    mon-backend start -c /etc/mon/backend.yml --log /var/log/mon/backend.log
    mon-backend --validate-config -c /etc/mon/backend.yml -d /etc/mon/conf.d
    mon-backend prune --older-than 30d --name 'ci-*' --dry-run --state-dir /var/lib/mon
    mon-backend upgrade --dry-run --state-dir /var/lib/mon
    mon-backend upgrade --skip-confirm --through http://127.0.0.1:4567
`;

/** Exit code for wrong usage or configuration. */
export const EXIT_USAGE = 2;

const parse = (argv: readonly string[]) =>
  meow(HELP, {
    importMeta: import.meta,
    argv,
    // Also what the process is called in the list of processes.
    pkg: { name: 'mon-backend' },
    description: 'mon-backend: stores check results, turns them into events and serves them',
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

/** What the command line says. One that is wrong ends the program, with a word why. */
export function parseArguments(argv: readonly string[] = process.argv.slice(2)): ReturnType<typeof parse> {
  try {
    return parse(argv);
  } catch (error) {
    // Such as a flag that is given twice.
    process.stderr.write(`mon-backend: ${errorMessage(error)}\n`);
    process.exit(EXIT_USAGE);
  }
}

/** Where the configuration comes from: files, the environment and these flags. */
export function configSources(
  flags: ReturnType<typeof parse>['flags'],
  installation: Installation | undefined,
): ConfigSources {
  const { config, configDir, stateDir, store, bind, port, log, logLevel } = flags;
  const { certFile, keyFile, clientCaFile, insecureHttp } = flags;
  const api = given({ bind, port });
  const tls = given({ 'cert-file': certFile, 'key-file': keyFile, 'client-ca-file': clientCaFile });
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
      ...given({ 'state-dir': stateDir, store, log, 'log-level': logLevel }),
      ...(Object.keys(api).length === 0 ? {} : { api }),
      ...(Object.keys(tls).length === 0 ? {} : { tls }),
      ...(insecureHttp ? { 'insecure-http': true } : {}),
    },
  };
}
