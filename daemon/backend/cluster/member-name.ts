/** Returns the name of a member: host name and port of its API. */
export function memberName(host: string, url: string): string {
  const { protocol, port } = new URL(url);
  return `${host}:${port === '' ? DEFAULT_PORTS[protocol === 'https:' ? 'https' : 'http'] : port}`;
}

/** Default ports, which a URL omits. */
const DEFAULT_PORTS = { http: '80', https: '443' } as const;
