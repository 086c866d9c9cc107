export const DEFAULT_BACKEND = 'http://127.0.0.1:4567';

/** What may be said on the command line of the console. */
export interface Arguments {
  readonly backend: string | undefined;
  readonly readOnly: boolean;
  readonly ascii: boolean;
  readonly color: boolean;
}

/** Without any argument. */
export const DEFAULT_ARGUMENTS: Arguments = { backend: undefined, readOnly: false, ascii: false, color: true };
