/** The namespace that the legacy API shows (architecture, State). */
export const DEFAULT_NAMESPACE = 'default';
