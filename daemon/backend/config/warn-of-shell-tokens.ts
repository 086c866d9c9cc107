import { SHELL_TOKENS_WARNING, shellTokensIn } from '../../../shared/domain/shell-tokens.ts';
import type { Log } from '../../log/log.ts';
import type { StoredDefinitions } from '../definitions/state.ts';

/** Most names in one record of the log. */
const NAMED_MAX = 100;

/** Says at the start which stored checks do what those of the configuration are warned of. */
export function warnOfShellTokens(stored: StoredDefinitions, log: Log): void {
  const risky = [...stored.all('checks')].filter(({ object }) => shellTokensIn(object, true) !== undefined);
  if (risky.length === 0) return;
  const checks = risky.slice(0, NAMED_MAX).map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
  log.warn({ checks, check_count: risky.length }, `each of these checks ${SHELL_TOKENS_WARNING}`);
}
