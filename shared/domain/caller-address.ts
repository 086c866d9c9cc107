/** What proxies say about where a request came from, as HTTP has it: several headers of one name are joined by commas. */
export interface ForwardingHeaders {
  readonly 'x-forwarded-for'?: string | undefined;
  /** RFC 7239. */
  readonly forwarded?: string | undefined;
}

/** More hops than any chain of proxies has. */
const HOPS_MAX = 20;

/**
 * The address of whoever sent a request, through proxies that are trusted to tell it: from the connection outwards, the
 * first address that is none of theirs. What stands before that anybody could have written.
 *
 * @param peer of the connection
 * @param isTrusted whether this is the address of a proxy whose headers are believed
 */
export function callerAddress(
  peer: string,
  headers: ForwardingHeaders,
  isTrusted: (address: string) => boolean,
): string {
  if (!isTrusted(peer)) return peer;
  let caller = peer;
  for (const hop of forwardedFor(headers).slice(-HOPS_MAX).toReversed()) {
    const address = addressOf(hop);
    // Hidden or unknown: the proxy that says so is all there is to know.
    if (address === undefined) return caller;
    caller = address;
    if (!isTrusted(address)) return caller;
  }
  return caller;
}

/** Whether a proxy says that it passes this on for somebody else. Anybody may claim it, so it only ever takes rights away. */
export function isForwarded(headers: Readonly<Record<string, unknown>>): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined);
}

/** Headers by which the usual proxies, balancers and tunnels can be told. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'via'];

/** From the farthest to the nearest. `X-Forwarded-For` where both are there: more proxies keep to it. */
function forwardedFor({ 'x-forwarded-for': list, forwarded }: ForwardingHeaders): string[] {
  if (list !== undefined) return list.split(',');
  if (forwarded === undefined) return [];
  return forwarded.split(',').map((element) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;]*)/i.exec(element)?.[1] ?? '');
}

/** Without quotes, brackets and port: `"[2001:db8::1]:4711"`. */
function addressOf(hop: string): string | undefined {
  const text = hop.trim().replace(/^"(.*)"$/, '$1');
  const plain = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return IPV4.test(plain) || (plain.includes(':') && IPV6.test(plain)) ? plain : undefined;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
/** Near enough to tell it from a name: what is no address matches no network. */
const IPV6 = /^[\da-f:.]{2,45}$/i;
