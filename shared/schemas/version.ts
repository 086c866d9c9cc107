/** The level of version 1 that `mon` is compatible with; clients compare it (completion, Versions). */
export const COMPATIBLE_VERSION = '1.9.0';

/** The level of version 2 that `mon` is compatible with (completion, Versions). */
export const COMPATIBLE_V2_VERSION = '6.5.0';

/** The program's own version; a test holds it to the one in package.json. */
export const VERSION = '1.0.0';
