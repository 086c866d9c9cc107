/** File name of the store's native module, in the directory of the packaged programs. */
export const NATIVE_STORE = 'classic-level.node';
