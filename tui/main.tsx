import { hostname, userInfo } from 'node:os';
import type { ApiClient } from '../shared/client/api-client.ts';
import {
  addressWarning,
  parseBackendAddresses,
  tlsVariables,
  type CredentialsEnv,
} from '../shared/client/backend-address.ts';
import { systemFeedClock } from '../shared/client/feed-clock.ts';
import { safeText } from '../shared/domain/terminal-text.ts';
import { errorMessage } from '../shared/errors.ts';
import { openAll } from './effects/all-contexts.ts';
import type { ShownBackend } from './effects/shown-backend.ts';
import { DEFAULT_ARGUMENTS, type Arguments } from './config/arguments.ts';
import { chooseBackend, findContext, type BackendChoice } from './config/choose-backend.ts';
import { readConsoleConfig, loginDirectory, type LoadedConsoleConfig } from './config/config-file.ts';
import type { ContextConfig } from './config/console-config.ts';
import { settingsOfConfig } from './config/initial-state.ts';
import { settingsOf, type AppearanceSettings } from './config/appearance-settings.ts';
import { offerLogin } from './offer-login.ts';
import { openConsole, type Console, type ConsoleClock } from './console.tsx';
import { bindKeys } from './state/keys.ts';
import { targetOf } from './model/target.ts';
import { ALL_CONTEXTS } from './model/backend-names.ts';
import type { ScreenSettings } from './state/screen-settings.ts';
import { configureZone } from './words/shown-time.ts';
import { timeZoneOf } from '../shared/schemas/time-zone.ts';
import { openTerminalSession } from './terminal/terminal-session.ts';

/** The exit code for a wrong command line or a missing terminal, as in `monctl`. */
const EXIT_USAGE = 2;

const consoleClock: ConsoleClock = {
  ...systemFeedClock,
  every(periodMs, task) {
    const timer = setInterval(task, periodMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};

const parsedArguments = await readArguments(process.argv.slice(2));
if ('problem' in parsedArguments) exitWithProblem(parsedArguments.problem);
else await main(parsedArguments);

/**
 * Parses the arguments. Loading the parser takes a fifth of the time to the first frame, so it is only loaded
 * if there are arguments.
 */
async function readArguments(argv: readonly string[]): Promise<Arguments | { readonly problem: string }> {
  if (argv.length === 0) return DEFAULT_ARGUMENTS;
  const { parseConsoleArguments } = await import('./config/parse-arguments.ts');
  return parseConsoleArguments(argv, import.meta);
}

async function main(flags: Arguments): Promise<void> {
  const loaded = await readConsoleConfig(flags.config, process.env);
  if ('problem' in loaded) return exitWithProblem(loaded.problem);
  configureZone(flags.utc === true ? 'UTC' : timeZoneOf(loaded.config['time-zone'] ?? ''));
  // Warnings are printed before the console takes over the screen, so that they can be read after it exits.
  for (const { text } of loaded.config.warnings) process.stderr.write(`mon: ${safeText(text)}\n`);
  try {
    // The backend is opened before the console takes over the screen, so that error messages stay readable.
    const choice = chooseBackend(flags, process.env, loaded.config);
    const { trustedCaFile, insecureSkipTlsVerify: isUnverified } = flags;
    const openAs = backendOpeners(loaded.config, tlsVariables({ trustedCaFile, isUnverified }));
    const shown = await openAs.choice(choice);
    warnOf(shown);
    if (process.stdin.isTTY && process.stdout.isTTY) await offerLogin(shown, (text) => process.stderr.write(text));
    if (shown.members !== undefined && (flags.watch !== undefined || wantsLines(flags, process.env))) {
      return exitWithProblem('only the full-screen console shows all contexts in one list: choose one with --context');
    }
    if (flags.watch !== undefined) {
      const { startWatch } = await import('./lines/start-watch.ts');
      return await startWatch({ ...shown, ...flags.watch }, consoleClock);
    }
    if (wantsLines(flags, process.env)) {
      if (flags.open !== undefined)
        return exitWithProblem('--open works only with the full-screen console: see "mon --help"');
      const { startPlain } = await import('./lines/start.ts');
      return startPlain({ ...shown, clock: consoleClock, creator: creatorOf(process.env), readOnly: flags.readOnly });
    }
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      return exitWithProblem('the console needs a terminal; in scripts and pipes use: mon watch');
    }
    startProgram(shown, nameOf(choice), loaded, { flags, open: openAs.context });
  } catch (error) {
    exitWithProblem(errorMessage(error));
  }
}

function startProgram(
  shown: ShownBackend,
  current: string | undefined,
  { path, config }: LoadedConsoleConfig,
  { flags, open }: { readonly flags: Arguments; readonly open: (name: string) => Promise<ShownBackend> },
): void {
  bindKeys(config.keys);
  const settings = settingsOf(flags, config, process.env);
  const session = openTerminalSession({
    // The callbacks only run from the event loop, and then `session` and `running` exist.
    onInput: (event) => running.input(event),
    onResume: () => running.repaint(),
    mouse: settings.mouse,
    // The console of Linux writes parts of the question to the screen, and it is always dark.
    asksBackground: settings.theme.color && settings.theme.skin === undefined && process.env['TERM'] !== 'linux',
  });
  const isTmux = (process.env['TMUX'] ?? '') !== '';
  const running: Console = openConsole({
    ...shown,
    contexts: {
      names: [...config.contexts.keys()],
      current,
      open,
    },
    kept: screenSettingsOf(config, settings),
    isTmux,
    // The code that starts programs is only loaded when a text is copied.
    ...(isTmux && {
      loadTmuxBuffer: async (text) => (await import('./terminal/tmux-buffer.ts')).loadTmuxBuffer(text),
    }),
    ...(flags.open !== undefined && { opened: targetOf(flags.open) }),
    setMouse: (isOn) => session.setMouse(isOn),
    suspend: () => session.suspend(),
    ownCommands: config.commands,
    runInTerminal: async (words, isWaiting) => {
      const { runInForeground } = await import('./terminal/run-program.ts');
      return session.handOver(() => runInForeground(words), isWaiting);
    },
    aggregateNeeds: config.aggregateNeeds,
    saveView: async (name, view) => {
      // The YAML writer is only loaded when a view is saved.
      const { saveView } = await import('./config/save-view.ts');
      await saveView(path, name, view);
    },
    stdout: session.stdout,
    clock: consoleClock,
    theme: settings.theme,
    creator: creatorOf(process.env),
    readOnly: flags.readOnly,
    onQuit: () => {
      running[Symbol.dispose]();
      session[Symbol.dispose]();
      process.exit(0);
    },
  });
}

/**
 * Returns functions that open a backend. `tls` contains the TLS options of the command line. They override those of the
 * environment and of the context.
 */
function backendOpeners(
  config: LoadedConsoleConfig['config'],
  tls: CredentialsEnv,
): {
  readonly choice: (choice: BackendChoice) => Promise<ShownBackend>;
  readonly context: (name: string) => Promise<ShownBackend>;
} {
  const context = (name: string): Promise<ShownBackend> => openContext(name, findContext(config, name), tls);
  return {
    context,
    choice: (choice) => {
      switch (choice.kind) {
        case 'url':
          return Promise.resolve(
            backendAtUrl(choice.backend, {
              ...process.env,
              MON_LOGIN_DIR: loginDirectory(process.env),
              ...tls,
            }),
          );
        case 'context':
          return context(choice.name);
        case 'all':
          return openAll([...config.contexts.keys()], context);
      }
    },
  };
}

/**
 * Prints a warning for each shown backend whose certificate is not verified. It runs before the console takes over the
 * screen, so that the warnings can be read after the console exits.
 */
function warnOf({ backend, env, members }: ShownBackend): void {
  for (const one of members?.values() ?? [{ backend, env }]) {
    const warning = 'problem' in one ? undefined : addressWarning(one.backend, one.env);
    if (warning !== undefined) process.stderr.write(`mon: ${warning}\n`);
  }
}

function nameOf(choice: BackendChoice): string | undefined {
  switch (choice.kind) {
    case 'url':
      return undefined;
    case 'context':
      return choice.name;
    case 'all':
      return ALL_CONTEXTS;
  }
}

/**
 * Returns a backend by its URL, with the credentials of the URL or of `env`.
 *
 * @throws MonError `invalid` if `backend` is not a list of valid addresses
 */
function backendAtUrl(backend: string, env: CredentialsEnv, namespace?: string): ShownBackend {
  parseBackendAddresses(backend, env);
  return {
    backend,
    env,
    namespace,
    api: (requestedNamespace = namespace) => loadApiClient(backend, env, requestedNamespace),
  };
}

async function openContext(name: string, context: ContextConfig, tls: CredentialsEnv): Promise<ShownBackend> {
  const { resolveContext } = await import('./config/resolve-context.ts');
  const { backend, env } = await resolveContext(name, context, process.env);
  return backendAtUrl(backend, { ...env, ...tls }, context.namespace);
}

/**
 * Opens the API client. Loading the HTTP and validation code takes a tenth of the time to the first frame, so it is
 * loaded with the first request.
 */
async function loadApiClient(backend: string, env: CredentialsEnv, namespace?: string): Promise<ApiClient> {
  const { openApiClient } = await import('../shared/client/api-client.ts');
  return openApiClient({ backend, env, namespace });
}

/**
 * Returns the screen settings of the configuration file. For `mouse` and `attention`, the command line takes
 * precedence.
 */
function screenSettingsOf(
  config: LoadedConsoleConfig['config'],
  { mouse, attention }: AppearanceSettings,
): ScreenSettings {
  const kept = settingsOfConfig(config);
  return { ...kept, common: { ...kept.common, mouse, attention } };
}

/** Returns whether to start in screen-reader mode. A terminal that cannot move its cursor also needs this mode. */
function wantsLines({ screenReader }: Arguments, env: NodeJS.ProcessEnv): boolean {
  return screenReader ?? (env['INK_SCREEN_READER'] === 'true' || env['TERM'] === 'dumb');
}

/** Returns the creator that is recorded for silences of this console: the name of the user on this host. */
function creatorOf(env: NodeJS.ProcessEnv): string {
  return `${env['USER'] ?? userInfo().username}@${hostname()}`;
}

function exitWithProblem(message: string): void {
  process.stderr.write(`mon: ${message}\n`);
  process.exitCode = EXIT_USAGE;
}
