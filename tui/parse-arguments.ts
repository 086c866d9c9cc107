import meow from 'meow';
import { DEFAULT_ARGUMENTS, DEFAULT_BACKEND, type Arguments } from './arguments.ts';

const HELP = `
Usage
  mon [--backend URL | --context NAME] [--config FILE] [--read-only] [--ascii] [--no-color]

The full-screen console: what is broken right now, live. "?" shows all keys.

Options
  --backend URL   API of the backend (default: $MON_BACKEND, else ${DEFAULT_BACKEND})
  --context NAME  a backend of the configuration file
  --config FILE   configuration file (default: ~/.config/mon/console.yml)
  --read-only     look, but change nothing
  --ascii         draw with ASCII only
  --no-color      no colors; $NO_COLOR and TERM=dumb do the same
  --version       print the version
  --help          print this

Environment
  MON_BACKEND      the same as --backend
  MON_CREDENTIALS  user:password for the backend
  MON_API_KEY      a key for the backend
  XDG_CONFIG_HOME  where mon/console.yml is, in place of ~/.config

Exit codes
  0  quit
  1  it failed; the message says why
  2  wrong usage, or no terminal: use "monctl event list" in scripts and pipes

Examples
  mon --backend http://monitoring.example:4567
  MON_BACKEND=http://10.0.0.5:4567 mon --read-only
`;

/** Reads the command line. `--help`, `--version` and unknown options end the program here. */
export function parseArguments(
  argv: readonly string[],
  importMeta: ImportMeta,
): Arguments | { readonly problem: string } {
  const { flags, input } = meow(HELP, {
    importMeta,
    argv,
    description: false,
    flags: {
      backend: { type: 'string' },
      context: { type: 'string' },
      config: { type: 'string' },
      readOnly: { type: 'boolean', default: DEFAULT_ARGUMENTS.readOnly },
      ascii: { type: 'boolean', default: DEFAULT_ARGUMENTS.ascii },
      color: { type: 'boolean', default: DEFAULT_ARGUMENTS.color },
    },
    allowUnknownFlags: false,
  });
  if (input.length > 0) return { problem: 'mon takes no arguments, only options: see mon --help' };
  const { backend, context, config, readOnly, ascii, color } = flags;
  if (backend !== undefined && context !== undefined) {
    return { problem: 'name a backend or a context, not both: see mon --help' };
  }
  return { backend, context, config, readOnly, ascii, color };
}
