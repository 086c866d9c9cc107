/** The Sensu Core version with which `mon` is compatible. Clients read it from the API (completion, Versions). */
export const COMPATIBLE_VERSION = '1.9.0';

/** The Sensu Go version with which `mon` is compatible (completion, Versions). */
export const COMPATIBLE_V2_VERSION = '6.5.0';

/** The version of `mon`. A test compares it with package.json. */
export const VERSION = '1.0.0';
