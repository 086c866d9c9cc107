/** File name of the store's native part, beside the programs of a package. */
export const NATIVE_STORE = 'classic-level.node';
