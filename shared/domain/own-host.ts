const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+(?:%[\w.-]+)?\])$/;

/**
 * Whether a request addresses this machine by an IP address, `localhost` or its hostname. The owner of a web site can
 * let its name resolve to this machine (DNS rebinding; security S5). The browser then treats both as one site, and only
 * the header `Host` shows the name. Other names are rejected even without a dot, because somebody else may define them
 * in a search domain.
 *
 * @param host the header `Host`; a request without it is accepted, because browsers always send it and HTTP/1.0
 *   programs may omit it
 * @param hostname hostname of this machine
 */
export function isOwnHost(host: string | undefined, hostname: string): boolean {
  const name = hostNameIn(host);
  if (name === '' || name === 'localhost' || name.endsWith('.localhost') || ADDRESS.test(name)) return true;
  const own = hostname.toLowerCase();
  return name === own || name === own.split('.', 1)[0];
}

/** Returns the name or address in a `Host` header in lower case, without the port. */
export function hostNameIn(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
