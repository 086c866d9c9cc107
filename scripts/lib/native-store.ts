/** The native part of the store, beside the programs of a package. */
export const NATIVE_STORE = 'classic-level.node';
