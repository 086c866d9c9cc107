import { hostname, userInfo } from 'node:os';
import type { ApiClient } from '../shared/client/api-client.ts';
import { parseBackendAddress } from '../shared/client/backend-address.ts';
import { errorMessage } from '../shared/errors.ts';
import { DEFAULT_ARGUMENTS, DEFAULT_BACKEND, type Arguments } from './arguments.ts';
import { openConsole, type Console, type ConsoleClock } from './console.tsx';
import { openTerminalSession } from './terminal/terminal-session.ts';
import type { Theme } from './theme.ts';

/** As for `monctl`: the command line is wrong, or there is no terminal. */
const EXIT_USAGE = 2;

const clock: ConsoleClock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  every(periodMs, task) {
    const timer = setInterval(task, periodMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};

const given = await readArguments(process.argv.slice(2));
if ('problem' in given) fail(given.problem);
else main(given);

/** Loading the parser takes a fifth of the time to the first frame: not when there is nothing to parse. */
async function readArguments(argv: readonly string[]): Promise<Arguments | { readonly problem: string }> {
  if (argv.length === 0) return DEFAULT_ARGUMENTS;
  const { parseArguments } = await import('./parse-arguments.ts');
  return parseArguments(argv, import.meta);
}

function main(flags: Arguments): void {
  const backend = flags.backend ?? process.env['MON_BACKEND'] ?? DEFAULT_BACKEND;
  try {
    // Before the screen is taken over, which is no place for an error.
    parseBackendAddress(backend);
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      return fail('the console needs a terminal; in scripts and pipes use: monctl event list');
    }
    start(backend, flags);
  } catch (error) {
    fail(errorMessage(error));
  }
}

function start(backend: string, flags: Arguments): void {
  const session = openTerminalSession({
    // Called from the event loop, when both are there.
    onInput: (event) => running.input(event),
    onResume: () => running.repaint(),
  });
  const running: Console = openConsole({
    backend,
    api: () => loadApiClient(backend),
    stdout: session.stdout,
    clock,
    theme: themeOf(flags, process.env),
    creator: creatorOf(process.env),
    readOnly: flags.readOnly,
    onQuit: () => {
      running[Symbol.dispose]();
      session[Symbol.dispose]();
      process.exit(0);
    },
  });
}

/** Loading what speaks and checks HTTP takes a tenth of the time to the first frame: not before that. */
async function loadApiClient(backend: string): Promise<ApiClient> {
  const { openApiClient } = await import('../shared/client/api-client.ts');
  return openApiClient({ backend });
}

function themeOf({ ascii, color }: Arguments, env: NodeJS.ProcessEnv): Theme {
  // NO_COLOR counts when it is set to anything but the empty string (no-color.org).
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return { color: color && !isPlain, ascii };
}

/** Who silences, until the backend knows people by name. */
function creatorOf(env: NodeJS.ProcessEnv): string {
  return `${env['USER'] ?? userInfo().username}@${hostname()}`;
}

function fail(message: string): void {
  process.stderr.write(`mon: ${message}\n`);
  process.exitCode = EXIT_USAGE;
}
