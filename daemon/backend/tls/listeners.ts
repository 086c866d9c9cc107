import type { ApiSettings, ProgramSettings, TlsSettings } from '../../../shared/schemas/settings.ts';
import { MonError } from '../../../shared/errors.ts';
import { isLoopback } from '../access/host.ts';

export type ListenerName = 'api' | 'agent-listener' | 'v2-listener';

/** A listener, as the settings describe it. */
export interface ListenerSettings {
  readonly name: ListenerName;
  readonly bind: string;
  /** Undefined: without TLS. */
  readonly tls: TlsSettings | undefined;
  /** Prefix of its TLS settings, with a dot at the end. */
  readonly section: string;
}

/** Returns the listeners, each with its own TLS settings or the common ones. */
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
 * Rejects listeners that are remotely reachable over plain HTTP, because passwords and keys could be read on the way
 * (security S1).
 *
 * @returns the listeners for which this is allowed
 * @throws MonError `invalid`
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
