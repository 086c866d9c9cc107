import meow from 'meow';
import { DEFAULT_ARGUMENTS, DEFAULT_BACKEND, type Arguments } from './arguments.ts';
import { isSkin, SKINS } from '../text/theme.ts';

/** The text of `mon --help`. */
export const CONSOLE_HELP_TEXT = `
Usage
  mon [--backend URL | --context NAME] [--config FILE] [--read-only] [--mouse]
      [--ascii] [--no-color] [--skin NAME] [--no-bell] [--notify] [--screen-reader]
      [--utc] [--open CLIENT/CHECK]
  mon watch [--filter SEARCH] [--once] [--json] [--utc]
      [--backend URL | --context NAME]

Opens the full-screen console: what is broken right now, live. "?" shows all keys.
"mon watch" prints matching events and their changes, one line each, for pipes and
scripts.

Options
    --backend URL   backend URL; separate several backends of one store with commas
                  (default: $MON_BACKEND, else ${DEFAULT_BACKEND})
  --context NAME  use this context from the configuration file
  --config FILE   configuration file (default: ~/.config/mon/console.yml)
  --trusted-ca-file FILE
                  verify the backend certificate with these CA certificates
                  (PEM)
  --insecure-skip-tls-verify
                  do not verify the certificate of the backend (testing only)
  --read-only     disable all actions that change something
  --mouse         enable the wheel and clicks on rows, column titles and tabs
  --ascii         draw with ASCII characters only; the default if the locale is
                  not UTF-8 (--no-ascii: off)
  --no-color      disable colors; $NO_COLOR and TERM=dumb do the same
  --skin NAME     ${SKINS.join(', ')} (default: dark, or light on a light terminal)
  --no-bell       do not ring the terminal bell for new critical events
  --notify        also show desktop notifications, if the terminal supports OSC 9
  --utc           show and read times in UTC; default: local time, or the setting
                  time-zone of the configuration file
  --screen-reader print sentences instead of drawing a screen; the default with
                  $INK_SCREEN_READER=true or TERM=dumb (--no-screen-reader: off)
  --open CLIENT/CHECK
                  open the console on this event
  --filter SEARCH with watch: only matching events, such as 'status>=warn !silenced'
  --once          with watch: print the current events and exit
  --json          with watch: print one JSON document per line
  --version       print the version
  --help          print this help

Environment
  MON_BACKEND      same as --backend
  MON_CREDENTIALS  user:password for the backend
  MON_API_KEY      API key for the backend
  MON_TRUSTED_CA_FILE, MON_INSECURE_SKIP_TLS_VERIFY=true
                   same as the options with these names
  TZ               time zone, such as Europe/Berlin (default: that of the machine)
  XDG_CONFIG_HOME  directory of mon/console.yml (default: ~/.config)

Exit codes
  0  success; watch --once: no event matches
  1  failure; see the message
  2  invalid usage, or no terminal: use "mon watch" in scripts and pipes
  4  watch: the backend rejected the credentials
  5  watch --once: the backend cannot be reached
  8  watch --once: at least one event matches

Examples
  mon --backend http://monitoring.example:4567
  MON_BACKEND=http://10.0.0.5:4567 mon --read-only
  mon watch --once --filter 'status=crit client~web-* !silenced' || rollback
`;

/** Parses the command line. `--help`, `--version` and unknown options end the process here. */
export function parseConsoleArguments(
  argv: readonly string[],
  importMeta: ImportMeta,
): Arguments | { readonly problem: string } {
  const { flags, input } = meow(CONSOLE_HELP_TEXT, {
    importMeta,
    argv,
    description: false,
    // An option that is not given is `undefined`, not `false`, so that the environment or the configuration file
    // decides.
    booleanDefault: undefined,
    flags: {
      backend: { type: 'string' },
      context: { type: 'string' },
      config: { type: 'string' },
      trustedCaFile: { type: 'string' },
      insecureSkipTlsVerify: { type: 'boolean' },
      readOnly: { type: 'boolean', default: DEFAULT_ARGUMENTS.readOnly },
      ascii: { type: 'boolean' },
      color: { type: 'boolean', default: DEFAULT_ARGUMENTS.color },
      skin: { type: 'string' },
      mouse: { type: 'boolean' },
      bell: { type: 'boolean' },
      notify: { type: 'boolean' },
      utc: { type: 'boolean' },
      screenReader: { type: 'boolean' },
      open: { type: 'string' },
      filter: { type: 'string' },
      once: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowUnknownFlags: false,
  });
  const [command, ...more] = input;
  if (more.length > 0 || (command !== undefined && command !== 'watch')) {
    return { problem: 'mon takes only options, or the command "watch": see "mon --help"' };
  }
  const { backend, context, config, readOnly, ascii, color, skin, mouse, bell, notify, utc, screenReader } = flags;
  const { open, filter, once, json, trustedCaFile, insecureSkipTlsVerify } = flags;
  if (backend !== undefined && context !== undefined) {
    return { problem: 'use --backend or --context, not both: see "mon --help"' };
  }
  if (skin !== undefined && !isSkin(skin)) return { problem: `--skin must be one of ${SKINS.join(', ')}` };
  if (command === undefined && (filter !== undefined || once || json)) {
    return { problem: '--filter, --once and --json work only with "mon watch": see "mon --help"' };
  }
  if (open !== undefined && (command !== undefined || screenReader === true)) {
    return { problem: '--open works only with the full-screen console: see "mon --help"' };
  }
  if (open !== undefined && !/^[^/]+\/[^/]+$/.test(open)) {
    return { problem: '--open needs a client and a check, as in --open web-1/disk' };
  }
  const watch = command === undefined ? undefined : { filter: filter ?? '', once, json };
  const tls = { trustedCaFile, insecureSkipTlsVerify };
  const look = { ascii, color, skin, mouse, bell, notify, utc, screenReader };
  return { backend, context, config, ...tls, readOnly, ...look, open, watch };
}
