const ADDRESS_FORMAT = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+(?:%[\w.-]+)?\])$/;

/**
 * Whether a request addresses this host by an IP address, `localhost` or its hostname. This prevents DNS rebinding
 * (security S5): the owner of a web site lets its name resolve to this host, so that a browser treats both as one site.
 * Only the header `Host` shows the foreign name. Other names are rejected even without a dot, because somebody else
 * could define them in a search domain.
 *
 * @param host the header `Host`; a request without it is accepted, because browsers always send it, but HTTP/1.0
 *   programs need not
 * @param hostname hostname of this host
 */
export function isOwnHost(host: string | undefined, hostname: string): boolean {
  const name = parseHostName(host);
  if (name === '' || name === 'localhost' || name.endsWith('.localhost') || ADDRESS_FORMAT.test(name)) return true;
  const own = hostname.toLowerCase();
  return name === own || name === own.split('.', 1)[0];
}

/** Returns the name or address in a `Host` header in lower case, without the port. */
export function parseHostName(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
