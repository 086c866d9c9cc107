import { SHELL_TOKENS_WARNING, findShellTokens } from '../../../shared/domain/shell-tokens.ts';
import type { Log } from '../../log/log.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';

/** The maximum number of check names in one log record. */
const NAMED_CHECKS_MAX = 100;

/**
 * Logs a warning about stored checks with tokens in a shell command, like `configuredDefinitionWarnings` for configured
 * checks. It is called when the backend starts.
 */
export function warnOfShellTokens(stored: StoredDefinitions, log: Log): void {
  const risky = [...stored.all('checks')].filter(({ object }) => findShellTokens(object, true) !== undefined);
  if (risky.length === 0) return;
  const checks = risky
    .slice(0, NAMED_CHECKS_MAX)
    .map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
  log.warn({ checks, check_count: risky.length }, `each check in the field "checks" ${SHELL_TOKENS_WARNING}`);
}
