import type { Arguments } from './arguments.ts';
import type { Theme } from '../text/theme.ts';
import type { ConsoleConfig } from './console-config.ts';
import { DEFAULT_ATTENTION, type Attention } from '../state/attention.ts';
import { isAsciiLocale } from '../words/locale.ts';

/**
 * The appearance and notification settings of the console, merged from the command line, the configuration file and the
 * environment.
 */
export interface AppearanceSettings {
  readonly theme: Theme;
  readonly mouse: boolean;
  readonly attention: Attention;
}

/**
 * Merges the settings. The command line overrides the configuration file. The environment can disable colors regardless
 * of both. Its locale is the default for ASCII, and the background of the terminal for the skin.
 */
export function settingsOf(
  flags: Pick<Arguments, 'ascii' | 'color' | 'skin' | 'mouse' | 'bell' | 'notify'>,
  config: Pick<ConsoleConfig, 'ascii' | 'skin' | 'mouse' | 'bell' | 'notify'>,
  env: Readonly<Record<string, string | undefined>>,
): AppearanceSettings {
  // `NO_COLOR` is in effect if it is set to anything but the empty string (no-color.org).
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const skin = flags.skin ?? config.skin ?? (isLightTerminal(env) ? 'light' : undefined);
  return {
    theme: {
      color: flags.color && !isPlain,
      ascii: flags.ascii ?? config.ascii ?? isAsciiLocale(env),
      ...(skin !== undefined && { skin }),
    },
    mouse: flags.mouse ?? config.mouse ?? false,
    attention: {
      ...DEFAULT_ATTENTION,
      bell: flags.bell ?? config.bell ?? DEFAULT_ATTENTION.bell,
      notify: flags.notify ?? config.notify ?? DEFAULT_ATTENTION.notify,
    },
  };
}

/**
 * Returns whether the terminal says that its background is light. Some terminals set `COLORFGBG` to the numbers of
 * their colors of text and background, such as `0;15` or `0;default;15`.
 */
function isLightTerminal({ COLORFGBG = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return /;(?:7|9|1[0-5])$/.test(COLORFGBG);
}
