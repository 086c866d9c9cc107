import type { ApiSettings, ProgramSettings, TlsSettings } from '../../../shared/schemas/settings.ts';
import { MonError } from '../../../shared/errors.ts';
import { isLoopback } from '../access/host.ts';

export type ListenerName = 'api' | 'agent-listener' | 'v2-listener';

/** A listener of the backend, as its settings describe it. */
export interface ListenerSettings {
  readonly name: ListenerName;
  readonly bind: string;
  /** The TLS settings of the listener; undefined if it uses plain HTTP. */
  readonly tls: TlsSettings | undefined;
  /** Prefix of the names of its TLS settings, such as `api.tls.`. */
  readonly section: string;
}

/** Returns the configured listeners. A listener without TLS settings of its own uses the common TLS settings. */
export function listenersOf(
  bind: string,
  { api, program }: { readonly api: Pick<ApiSettings, 'tls'>; readonly program: ProgramSettings },
): ListenerSettings[] {
  const { 'agent-listener': agents, 'v2-listener': v2, tls: common } = program;
  const all = [
    { name: 'api' as const, bind, own: api.tls },
    ...(agents === undefined ? [] : [{ name: 'agent-listener' as const, bind: agents.bind, own: agents.tls }]),
    ...(v2 === undefined ? [] : [{ name: 'v2-listener' as const, bind: v2.bind, own: v2.tls }]),
  ];
  return all.map(({ name, bind: address, own }) => ({
    name,
    bind: address,
    tls: own === false ? undefined : (own ?? common),
    section: own === undefined ? 'tls.' : `${name}.tls.`,
  }));
}

/**
 * Rejects listeners that other hosts can reach over plain HTTP, because passwords and keys could be intercepted
 * (security S1).
 *
 * @returns the listeners with plain HTTP that other hosts can reach, if `isAllowed` is true; otherwise none
 * @throws MonError `invalid` if there is such a listener and `isAllowed` is false
 */
export function refuseOpenHttp(
  listeners: readonly ListenerSettings[],
  isAllowed: boolean,
): readonly ListenerSettings[] {
  const open = listeners.filter(({ bind, tls }) => tls === undefined && !isLoopback(bind));
  const [first] = open;
  if (first === undefined || isAllowed) return open;
  throw new MonError(
    'invalid',
    `${first.bind} (${first.name}) can be reached by other hosts without TLS, so passwords and keys can be intercepted: ` +
      'set tls.cert-file and tls.key-file (--cert-file and --key-file, see docs/tls.md), ' +
      'listen on 127.0.0.1 behind a proxy that terminates TLS, or allow it with --insecure-http',
  );
}
