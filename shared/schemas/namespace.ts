/** The namespace that version 1 shows (architecture, State). */
export const DEFAULT_NAMESPACE = 'default';

/** In place of a name: all namespaces that the credentials may see. None is called so. */
export const EVERY_NAMESPACE = '*';
