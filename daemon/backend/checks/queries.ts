import { redact } from '../../../shared/domain/redact.ts';
import type { NamedCheck, NamespaceDefinitions } from '../model/config/definitions.ts';

/**
 * Returns the checks that the backend schedules, by name and redacted. Standalone checks are scheduled by their agents,
 * and not shown (completion 1.6).
 */
export function shownChecks(definitions: Pick<NamespaceDefinitions, 'checks'>): NamedCheck[] {
  const checks = [...definitions.checks()].filter(isShown);
  checks.sort((a, b) => (a.name < b.name ? -1 : 1));
  return checks.map((check) => redact(check));
}

/** Returns undefined if there is no check to show. */
export function shownCheck(definitions: Pick<NamespaceDefinitions, 'check'>, name: string): NamedCheck | undefined {
  const check = definitions.check(name);
  return check === undefined || !isShown(check) ? undefined : redact(check);
}

function isShown({ standalone }: NamedCheck): boolean {
  return standalone !== true;
}
