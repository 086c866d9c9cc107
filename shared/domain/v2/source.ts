/** Marks what version 2 shows and cannot change: it stands in the configuration file. */
export const CONFIGURED: Readonly<Record<string, string>> = { 'mon/source': 'configuration' };
