/** The namespace that the v1 API serves (architecture, State). */
export const DEFAULT_NAMESPACE = 'default';

/** The value that stands for all namespaces that the credentials may read. No namespace has this name. */
export const EVERY_NAMESPACE = '*';
