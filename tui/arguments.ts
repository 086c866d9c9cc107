export const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

/** What may be said on the command line of the console. */
export interface Arguments {
  readonly backend: string | undefined;
  /** Name of a backend in the configuration file. */
  readonly context: string | undefined;
  /** Path of the configuration file. */
  readonly config: string | undefined;
  readonly readOnly: boolean;
  readonly ascii: boolean;
  readonly color: boolean;
}

/** Without any argument. */
export const DEFAULT_ARGUMENTS: Arguments = { backend: undefined, context: undefined, config: undefined, readOnly: false, ascii: false, color: true };
