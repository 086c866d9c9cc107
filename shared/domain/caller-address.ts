/** Headers in which proxies report the client address of a request. Headers of the same name are joined by commas. */
export interface ForwardingHeaders {
  readonly 'x-forwarded-for'?: string | undefined;
  /** The header that RFC 7239 defines. */
  readonly forwarded?: string | undefined;
}

/** Maximum number of hops considered; more than any real chain of proxies has. */
const HOPS_MAX = 20;

/**
 * Returns the client address of a request that passed trusted proxies. It follows the reported addresses from the
 * nearest proxy to the client, and returns the first untrusted one. A client can forge the addresses beyond it.
 *
 * @param peer address of the connection
 * @param isTrusted callback that says whether an address belongs to a proxy whose headers are trusted
 */
export function callerAddress(
  peer: string,
  headers: ForwardingHeaders,
  isTrusted: (address: string) => boolean,
): string {
  if (!isTrusted(peer)) return peer;
  let caller = peer;
  for (const hop of forwardedAddresses(headers).slice(-HOPS_MAX).toReversed()) {
    const address = addressOf(hop);
    // The address of this hop is hidden or unknown, so the address of the proxy that reported it is returned.
    if (address === undefined) return caller;
    caller = address;
    if (!isTrusted(address)) return caller;
  }
  return caller;
}

/**
 * Whether a proxy forwarded the request. Any client can set these headers, so true must only ever reduce the rights of
 * the request.
 */
export function isForwarded(headers: Readonly<Record<string, unknown>>): boolean {
  return FORWARDING_HEADERS.some((name) => headers[name] !== undefined);
}

/** Headers that common proxies, load balancers and tunnels add. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'via'];

/**
 * Returns the reported addresses from the client to the nearest proxy. `X-Forwarded-For` takes precedence over
 * `Forwarded`, because more proxies maintain it.
 */
function forwardedAddresses({ 'x-forwarded-for': list, forwarded }: ForwardingHeaders): string[] {
  if (list !== undefined) return list.split(',');
  if (forwarded === undefined) return [];
  return forwarded.split(',').map((element) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;]*)/i.exec(element)?.[1] ?? '');
}

/**
 * Returns the IP address of a hop without quotes, brackets and port: `2001:db8::1` for `"[2001:db8::1]:4711"`;
 * undefined if the hop is not an IP address.
 */
function addressOf(hop: string): string | undefined {
  const text = hop.trim().replace(/^"(.*)"$/, '$1');
  const plain = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return IPV4_FORMAT.test(plain) || (plain.includes(':') && IPV6_FORMAT.test(plain)) ? plain : undefined;
}

const IPV4_FORMAT = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
/** Approximate: it only distinguishes IPv6 addresses from names. An invalid address matches no network anyway. */
const IPV6_FORMAT = /^[\da-f:.]{2,45}$/i;
