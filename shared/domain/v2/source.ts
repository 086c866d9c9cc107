/** Annotation of objects from a configuration file, which the v2 API shows but cannot change. */
export const CONFIGURED: Readonly<Record<string, string>> = { 'mon/source': 'configuration' };
