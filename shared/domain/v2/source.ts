/** Annotation of objects from a configuration file, which the v2 API shows but cannot change. */
export const CONFIGURED_ANNOTATIONS: Readonly<Record<string, string>> = { 'mon/source': 'configuration' };
