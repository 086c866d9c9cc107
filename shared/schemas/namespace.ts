/** The namespace that the v1 API shows (architecture, State). */
export const DEFAULT_NAMESPACE = 'default';

/** Stands for all namespaces that the credentials may read; no namespace has this name. */
export const EVERY_NAMESPACE = '*';
