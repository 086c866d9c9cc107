import { redact } from '../../../shared/domain/redact.ts';
import type { NamedCheck, NamespaceDefinitions } from '../model/config/definitions.ts';

/**
 * Returns the definitions of all checks except standalone ones, sorted by name and redacted. Standalone checks are not
 * shown, because agents schedule them (completion 1.6).
 */
export function shownChecks(definitions: Pick<NamespaceDefinitions, 'checks'>): NamedCheck[] {
  const checks = [...definitions.checks()].filter(isRequestedByBackend);
  checks.sort((a, b) => (a.name < b.name ? -1 : 1));
  return checks.map((check) => redact(check));
}

/** Returns the definition of a check, redacted; undefined if it is not defined or is standalone. */
export function shownCheck(definitions: Pick<NamespaceDefinitions, 'check'>, name: string): NamedCheck | undefined {
  const check = definitions.check(name);
  return check === undefined || !isRequestedByBackend(check) ? undefined : redact(check);
}

function isRequestedByBackend({ standalone }: NamedCheck): boolean {
  return standalone !== true;
}
