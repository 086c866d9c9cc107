/** What a member is called: host name and port of its API. */
export function memberName(host: string, url: string): string {
  const { protocol, port } = new URL(url);
  return `${host}:${port === '' ? DEFAULT_PORTS[protocol === 'https:' ? 'https' : 'http'] : port}`;
}

/** What a URL leaves out. */
const DEFAULT_PORTS = { http: '80', https: '443' } as const;
