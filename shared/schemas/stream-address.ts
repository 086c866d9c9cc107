/** The address of a byte stream: the path of a local socket, or a host and port. */
export type StreamAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** Parses `/run/x.sock`, `host:port` or `[::1]:port`. Returns undefined for any other text. */
export function parseStreamAddress(text: string): StreamAddress | undefined {
  if (text.startsWith('/')) return { path: text };
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon).replace(/^\[([^[\]]*)\]$/, '$1');
  const digits = text.slice(colon + 1);
  const isBracketed = text.startsWith('[');
  if (colon < 1 || host === '' || (!isBracketed && host.includes(':')) || !/^\d{1,5}$/.test(digits)) return undefined;
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
