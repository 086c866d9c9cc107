/** Annotation by which the v2 API marks objects from a configuration file, which it cannot change. */
export const CONFIGURED_ANNOTATIONS: Readonly<Record<string, string>> = { 'mon/source': 'configuration' };
