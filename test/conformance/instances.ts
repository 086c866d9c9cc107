/**
 * Settings of `api` for parts of the recordings that were made on instances with other configurations (needs.jsonl).
 */
export const INSTANCES: Readonly<Record<string, unknown>> = {
  auth: { user: 'admin', password: 'secret', cors: { Origin: 'https://example.org', Custom: 'x' } },
  'auth-colon': { user: 'admin', password: 'pa:ss' },
  'cors-empty': { cors: {} },
  'cors-false': { cors: false },
};
