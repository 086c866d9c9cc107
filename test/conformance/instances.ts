/** Settings of `api` of the instances with another configuration that parts of the recordings were made on (needs.jsonl). */
export const INSTANCES: Readonly<Record<string, unknown>> = {
  auth: { user: 'admin', password: 'secret', cors: { Origin: 'https://example.org', Custom: 'x' } },
  'auth-colon': { user: 'admin', password: 'pa:ss' },
  'cors-empty': { cors: {} },
  'cors-false': { cors: false },
};
