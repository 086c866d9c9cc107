import type { Arguments } from '../arguments.ts';
import type { ConsoleConfig } from './console-config.ts';

/** What is said on the command line, and by the configuration file where nothing is said there. */
export function withConfig(flags: Arguments, { skin, ascii, mouse, bell, notify }: ConsoleConfig): Arguments {
  return {
    ...flags,
    skin: flags.skin ?? skin,
    ascii: flags.ascii || ascii === true,
    mouse: flags.mouse || mouse === true,
    bell: flags.bell && bell !== false,
    notify: flags.notify || notify === true,
  };
}
