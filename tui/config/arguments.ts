import type { Skin } from '../text/theme.ts';

export const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

/** The arguments of the console. */
export interface Arguments {
  readonly backend: string | undefined;
  /** Name of a context in the configuration file. */
  readonly context: string | undefined;
  /** Path of the configuration file. */
  readonly config: string | undefined;
  /** PEM file with the certificate authorities that the backend's certificate may come from. */
  readonly trustedCaFile: string | undefined;
  /** Whether the certificate of the backend is accepted without verification. */
  readonly insecureSkipTlsVerify: boolean | undefined;
  readonly readOnly: boolean;
  /** Options from here on that are undefined are taken from the configuration file. */
  readonly ascii: boolean | undefined;
  readonly color: boolean;
  readonly skin: Skin | undefined;
  readonly mouse: boolean | undefined;
  readonly bell: boolean | undefined;
  readonly notify: boolean | undefined;
  /** Whether to use screen-reader mode; `undefined`: the environment decides. */
  readonly screenReader: boolean | undefined;
  /** The arguments of `mon watch`; `undefined` for any other call. */
  readonly watch: WatchArguments | undefined;
}

export interface WatchArguments {
  /** Filter in the search language; empty: all events. */
  readonly filter: string;
  /** Whether to print the current events and exit. */
  readonly once: boolean;
  readonly json: boolean;
}

/** The arguments of a call without any argument. */
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
