import { hostname, userInfo } from 'node:os';
import meow from 'meow';
import { openApiClient } from '../shared/client/api-client.ts';
import { errorMessage } from '../shared/errors.ts';
import { openConsole, type Console, type ConsoleClock } from './console.tsx';
import { openTerminalSession } from './terminal/terminal-session.ts';
import type { Theme } from './theme.ts';

const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

/** As for `monctl`: the command line is wrong, or there is no terminal. */
const EXIT_USAGE = 2;

const cli = meow(
  `
Usage
  mon [--backend URL] [--read-only] [--ascii] [--no-color]

The full-screen console: what is broken right now, live. "?" shows all keys.

Options
  --backend URL   API of the backend (default: $MON_BACKEND, else ${DEFAULT_BACKEND})
  --read-only     look, but change nothing
  --ascii         draw with ASCII only
  --no-color      no colors; $NO_COLOR and TERM=dumb do the same
  --version       print the version
  --help          print this

Environment
  MON_BACKEND      the same as --backend
  MON_CREDENTIALS  user:password for the backend
  MON_API_KEY      a key for the backend

Exit codes
  0  quit
  1  it failed; the message says why
  2  wrong usage, or no terminal: use "monctl event list" in scripts and pipes

Examples
  mon --backend http://monitoring.example:4567
  MON_BACKEND=http://10.0.0.5:4567 mon --read-only
`,
  {
    importMeta: import.meta,
    description: false,
    flags: {
      backend: { type: 'string' },
      readOnly: { type: 'boolean', default: false },
      ascii: { type: 'boolean', default: false },
      color: { type: 'boolean', default: true },
    },
    allowUnknownFlags: false,
  },
);

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

main();

function main(): void {
  if (cli.input.length > 0) return fail(EXIT_USAGE, `mon takes no arguments, only options: see mon --help`);
  const backend = cli.flags.backend ?? process.env['MON_BACKEND'] ?? DEFAULT_BACKEND;
  try {
    const api = openApiClient({ backend });
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      return fail(EXIT_USAGE, 'the console needs a terminal; in scripts and pipes use: monctl event list');
    }
    start(backend, api);
  } catch (error) {
    fail(EXIT_USAGE, errorMessage(error));
  }
}

function start(backend: string, api: ReturnType<typeof openApiClient>): void {
  const session = openTerminalSession({
    // Called from the event loop, when both are there.
    onInput: (event) => running.input(event),
    onResume: () => running.repaint(),
  });
  const running: Console = openConsole({
    backend,
    api,
    stdout: session.stdout,
    clock,
    theme: themeOf(process.env),
    creator: creatorOf(process.env),
    readOnly: cli.flags.readOnly,
    onQuit: () => {
      running[Symbol.dispose]();
      session[Symbol.dispose]();
      process.exit(0);
    },
  });
}

function themeOf(env: NodeJS.ProcessEnv): Theme {
  // NO_COLOR counts when it is set to anything but the empty string (no-color.org).
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return { color: cli.flags.color && !isPlain, ascii: cli.flags.ascii };
}

/** Who silences, until the backend knows people by name. */
function creatorOf(env: NodeJS.ProcessEnv): string {
  return `${env['USER'] ?? userInfo().username}@${hostname()}`;
}

function fail(code: number, message: string): void {
  process.stderr.write(`mon: ${message}\n`);
  process.exitCode = code;
}
