import type { Skin } from '../text/theme.ts';

export const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

/** What may be said on the command line of the console. */
export interface Arguments {
  readonly backend: string | undefined;
  /** Name of a backend in the configuration file. */
  readonly context: string | undefined;
  /** Path of the configuration file. */
  readonly config: string | undefined;
  /** File with the authorities that the certificate of the backend may come from. */
  readonly trustedCaFile: string | undefined;
  /** Whether anybody is believed to be the backend. */
  readonly insecureSkipTlsVerify: boolean | undefined;
  readonly readOnly: boolean;
  /** Of these, what is not said is as the configuration file says. */
  readonly ascii: boolean | undefined;
  readonly color: boolean;
  readonly skin: Skin | undefined;
  readonly mouse: boolean | undefined;
  readonly bell: boolean | undefined;
  readonly notify: boolean | undefined;
  /** Lines in place of a screen; `undefined`: as the environment says. */
  readonly screenReader: boolean | undefined;
  /** `mon watch` */
  readonly watch: WatchArguments | undefined;
}

export interface WatchArguments {
  /** In the search language; empty: all events. */
  readonly filter: string;
  /** Tell what there is now, and end. */
  readonly once: boolean;
  readonly json: boolean;
}

/** Without any argument. */
export const DEFAULT_ARGUMENTS: Arguments = {
  backend: undefined,
  context: undefined,
  config: undefined,
  trustedCaFile: undefined,
  insecureSkipTlsVerify: undefined,
  readOnly: false,
  ascii: undefined,
  color: true,
  skin: undefined,
  mouse: undefined,
  bell: undefined,
  notify: undefined,
  screenReader: undefined,
  watch: undefined,
};
