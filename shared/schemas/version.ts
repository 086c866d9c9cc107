/** The Sensu Core version that `mon` is compatible with; clients compare it (completion, Versions). */
export const COMPATIBLE_VERSION = '1.9.0';

/** The Sensu Go version that `mon` is compatible with (completion, Versions). */
export const COMPATIBLE_V2_VERSION = '6.5.0';

/** The program's own version; a test compares it with package.json. */
export const VERSION = '1.0.0';
