import { MonError } from '../../shared/errors.ts';
import type { CommandCall } from './command.ts';
import { valueOption } from './flags.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { parsePast } from './times.ts';

/** Options of commands that show a time range of the past. */
export const SPAN_OPTIONS = {
  since: valueOption('TIME', 'start of the time range: 24h (ago), 22:00, yesterday 03:12, or 2026-11-20T22:00'),
  until: valueOption('TIME', 'end of the time range; default: now'),
} as const;

/**
 * Returns the time range of `--since` and `--until` in epoch milliseconds, without the options that were not given.
 *
 * @throws MonError `invalid` when a time cannot be parsed, or `--since` is not before `--until`
 */
export function spanOf({ flags, nowMs }: Pick<CommandCall, 'flags' | 'nowMs'>): {
  readonly since?: number;
  readonly until?: number;
} {
  const moment = (name: 'since' | 'until'): number | undefined => {
    const text = flags.value(name);
    return text === undefined ? undefined : parsePast(text, nowMs);
  };
  const { since, until } = { since: moment('since'), until: moment('until') };
  if (since !== undefined && until !== undefined && since >= until) {
    throw new MonError('invalid', '--since must be before --until');
  }
  return withoutUndefined({ since, until });
}
