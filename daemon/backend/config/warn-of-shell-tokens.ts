import { SHELL_TOKENS_WARNING, shellTokensIn } from '../../../shared/domain/shell-tokens.ts';
import type { Log } from '../../log/log.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';

/** The maximum number of names in one log record. */
const NAMED_MAX = 100;

/**
 * Warns at the start of stored checks with tokens that a shell interprets, as `definitionWarnings` does for configured
 * checks.
 */
export function warnOfShellTokens(stored: StoredDefinitions, log: Log): void {
  const risky = [...stored.all('checks')].filter(({ object }) => shellTokensIn(object, true) !== undefined);
  if (risky.length === 0) return;
  const checks = risky.slice(0, NAMED_MAX).map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
  log.warn({ checks, check_count: risky.length }, `each check in the field "checks" ${SHELL_TOKENS_WARNING}`);
}
