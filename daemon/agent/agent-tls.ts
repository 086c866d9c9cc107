import { errorMessage } from '../../shared/errors.ts';
import { readAuthorities } from '../../shared/tls/authorities.ts';
import { connectOptions, type ConnectOptions } from '../../shared/tls/client-tls.ts';
import { readKeyPair } from '../../shared/tls/key-pair.ts';
import type { Log } from '../log/log.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { Clock } from '../clock/clock.ts';

interface TlsDependencies {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/**
 * Returns a function that returns the TLS options of the next connection. It reads the certificate files at each call,
 * because certificates are renewed from time to time. If the new files are invalid, the previous options stay in use.
 *
 * @throws MonError `invalid` if the files cannot be used when the agent starts
 */
export function openAgentTls(settings: AgentSettings, { clock, log }: TlsDependencies): () => ConnectOptions {
  let current = readTlsOptions(settings, clock.now());
  for (const warning of current.warnings) log.warn({}, warning);
  return () => {
    try {
      current = readTlsOptions(settings, clock.now());
    } catch (error) {
      log.error({ reason: errorMessage(error) }, 'new certificates are invalid: the previous certificates stay in use');
    }
    return current.options;
  };
}

function readTlsOptions(
  {
    'trusted-ca-file': caFile,
    'insecure-skip-tls-verify': isUnverified,
    'cert-file': certFile,
    'key-file': keyFile,
  }: AgentSettings,
  nowMs: number,
): { readonly options: ConnectOptions; readonly warnings: readonly string[] } {
  const ca = caFile === undefined ? undefined : readAuthorities(caFile, 'agent.trusted-ca-file').pem;
  const pair =
    certFile === undefined || keyFile === undefined
      ? undefined
      : readKeyPair({ 'cert-file': certFile, 'key-file': keyFile }, { section: 'agent.', nowMs, isOfServer: false });
  return {
    options: connectOptions({ ca, isUnverified, cert: pair?.cert, key: pair?.key }),
    warnings: pair?.warnings ?? [],
  };
}
