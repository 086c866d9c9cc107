const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+(?:%[\w.-]+)?\])$/;

/**
 * Whether a request addresses this machine by one of its own names. A page of another site can point its own name to
 * this machine (DNS rebinding; security S5). The browser then treats both as one site, and only the header `Host`
 * reveals it. Other names without a dot are rejected too, since somebody else can put them into a search domain.
 *
 * @param host the header; browsers always send it, HTTP/1.0 programs may omit it
 * @param hostname of this machine
 */
export function isOwnHost(host: string | undefined, hostname: string): boolean {
  const name = hostNameIn(host);
  if (name === '' || name === 'localhost' || name.endsWith('.localhost') || ADDRESS.test(name)) return true;
  const own = hostname.toLowerCase();
  return name === own || name === own.split('.', 1)[0];
}

/** Returns the name or address in a `Host` header, without the port. */
export function hostNameIn(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
