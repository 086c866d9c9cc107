/** Returns the display name of a cluster member: its host name and the port of its API. */
export function memberName(host: string, url: string): string {
  const { protocol, port } = new URL(url);
  return `${host}:${port === '' ? DEFAULT_PORTS[protocol === 'https:' ? 'https' : 'http'] : port}`;
}

/** Default ports, because `URL.port` is empty for the default port of the protocol. */
const DEFAULT_PORTS = { http: '80', https: '443' } as const;
