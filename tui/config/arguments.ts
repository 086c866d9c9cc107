import type { Skin } from '../text/theme.ts';

export const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

/** The arguments of the console. */
export interface Arguments {
  readonly backend: string | undefined;
  /** Name of a context in the configuration file. */
  readonly context: string | undefined;
  /** Path of the configuration file; `undefined` for the default path. */
  readonly config: string | undefined;
  /** Path of a PEM file with the CA certificates that verify the certificate of the backend. */
  readonly trustedCaFile: string | undefined;
  /** Whether the certificate of the backend is accepted without verification. */
  readonly insecureSkipTlsVerify: boolean | undefined;
  readonly readOnly: boolean;
  /**
   * Whether to draw only ASCII characters. If this argument or one of the arguments below is `undefined`, the
   * configuration file decides.
   */
  readonly ascii: boolean | undefined;
  readonly color: boolean;
  readonly skin: Skin | undefined;
  readonly mouse: boolean | undefined;
  readonly bell: boolean | undefined;
  readonly notify: boolean | undefined;
  /** Whether to show and read times in UTC. */
  readonly utc: boolean | undefined;
  /** Whether to use screen-reader mode; if `undefined`, the environment decides. */
  readonly screenReader: boolean | undefined;
  /** The event that the console opens at the start: `client/check`; `undefined` for the list of events. */
  readonly open: string | undefined;
  /** The arguments of `mon watch`; `undefined` for any other call. */
  readonly watch: WatchArguments | undefined;
}

export interface WatchArguments {
  /** Filter in the search language; an empty filter matches all events. */
  readonly filter: string;
  /** Whether to print the current events and exit. */
  readonly once: boolean;
  readonly json: boolean;
}

/** The values of all arguments when `mon` is called without any. */
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
  utc: undefined,
  screenReader: undefined,
  open: undefined,
  watch: undefined,
};
