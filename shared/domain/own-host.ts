const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+(?:%[\w.-]+)?\])$/;

/**
 * Whether a request asks for this machine by one of its own names. A page of another site can let its own name point
 * to this machine (DNS rebinding; security S5): to the browser the page and this machine are then the same site, and
 * only the header `Host` tells. A name without a dot is not fine either, as somebody else can put it into a search
 * domain.
 *
 * @param host the header; a program of HTTP/1.0 need not send it, and a browser always does
 * @param hostname of this machine
 */
export function isOwnHost(host: string | undefined, hostname: string): boolean {
  const name = hostNameIn(host);
  if (name === '' || name === 'localhost' || name.endsWith('.localhost') || ADDRESS.test(name)) return true;
  const own = hostname.toLowerCase();
  return name === own || name === own.split('.', 1)[0];
}

/** The name or address in a header `Host`, without the port. */
export function hostNameIn(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
