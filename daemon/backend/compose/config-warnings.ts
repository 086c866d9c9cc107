import type { ApiCommands } from '../audit/api-commands.ts';
import { warnOfExpressions } from '../config/warn-of-expressions.ts';
import { warnOfShellTokens } from '../config/warn-of-shell-tokens.ts';
import type { Foundation } from './foundation.ts';

/** Logs warnings about definitions and settings. None of these problems prevents the start. */
export function warnOfConfig(foundation: Foundation, apiCommands: ApiCommands): void {
  const { registry, log } = foundation;
  warnOfShellTokens(registry.definitions, log);
  warnOfExpressions(registry.definitions, log);
  apiCommands.warnOf(registry.definitions, log);
  warnOfCertificates(foundation);
}

/**
 * Warns if there are several namespaces and the certificates of agents are valid in all of them. An agent of one tenant
 * could then report in the namespace of another tenant.
 */
function warnOfCertificates({ config, registry, tls, log }: Foundation): void {
  const namespaces = [...registry.declared.names()].length;
  if (tls.authorities.length === 0 || namespaces < 2 || config.program['certificate-namespaces'].length > 0) return;
  log.warn(
    { namespaces, setting: 'certificate-namespaces' },
    'agents with a certificate can report in every namespace: restrict them with certificate-namespaces',
  );
}
