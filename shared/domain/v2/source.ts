/** Marks what the newer API shows and cannot change: it stands in the configuration file. */
export const CONFIGURED: Readonly<Record<string, string>> = { 'mon/source': 'configuration' };
