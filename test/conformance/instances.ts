/**
 * Settings of `api` for the lines that were recorded on instances with other configurations (needs.jsonl), by the name
 * of the instance.
 */
export const INSTANCES: Readonly<Record<string, unknown>> = {
  auth: { user: 'admin', password: 'secret', cors: { Origin: 'https://example.org', Custom: 'x' } },
  'auth-colon': { user: 'admin', password: 'pa:ss' },
  'cors-empty': { cors: {} },
  'cors-false': { cors: false },
};
