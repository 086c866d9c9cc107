import { localZone } from '../words/shown-time.ts';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { RecurrencePart } from '../../shared/domain/recurrence.ts';
import { readRecurrence } from '../../shared/domain/written-recurrence.ts';
import { MonError } from '../../shared/errors.ts';
import type { Recurrence, ShownWindow } from '../../shared/schemas/recurrence.ts';
import type { SilencedDetail, SubmittedMonSilenced } from '../../shared/schemas/silenced.ts';
import { RECURRENCE_UNSUPPORTED, fullWindowText } from '../words/recurrence-text.ts';
import { valueOption, type CommandOption, type Flags } from './flags.ts';

type RecurrenceOptions = Readonly<Record<'recur' | 'zone' | 'duration' | 'first-day' | 'last-day', CommandOption>>;

/** Options for the schedule of a recurring silence. */
export const RECURRENCE_OPTIONS: RecurrenceOptions = {
  recur: valueOption(
    'SCHEDULE',
    "silence on a recurring schedule: 'sat,sun 02:00', 'mon-fri 6:00,18:00', 'daily 03:30' or cron '0 22 * * 2'",
  ),
  zone: valueOption('ZONE', 'time zone of --recur: Europe/Berlin, +02:00, UTC; default: local time'),
  duration: valueOption('DURATION', 'length of each recurring window, such as 30m or 2h'),
  'first-day': valueOption('DAY', 'first day of the recurring schedule, such as 2026-12-01'),
  'last-day': valueOption('DAY', 'last day of the recurring schedule'),
};

const OPTION_BY_PART: Readonly<Record<RecurrencePart, keyof RecurrenceOptions>> = {
  schedule: 'recur',
  zone: 'zone',
  duration: 'duration',
  first_day: 'first-day',
  last_day: 'last-day',
};

/** Options of silences that do not recur; they cannot be combined with `--recur`. */
const ONE_TIME_OPTIONS = ['expire', 'begin', 'expire-on-resolve'] as const;

/**
 * Returns the recurrence that the options define; `undefined` without these options.
 *
 * @throws MonError `invalid` that names the wrong option
 */
export function recurrenceOfFlags(flags: Flags, nowMs: number): Recurrence | undefined {
  const schedule = flags.value('recur');
  if (schedule === undefined) {
    const lost = Object.values(OPTION_BY_PART).find((name) => flags.value(name) !== undefined);
    if (lost === undefined) return undefined;
    throw new MonError('invalid', `--${lost} needs --recur, for example --recur 'sat,sun 02:00'`);
  }
  const once = ONE_TIME_OPTIONS.find((name) => flags.value(name) !== undefined || flags.switch(name) === true);
  if (once !== undefined) {
    throw new MonError('invalid', `--${once} cannot be used with --recur: use --duration, --first-day and --last-day`);
  }
  if (flags.value('duration') === undefined) {
    throw new MonError('invalid', '--recur needs --duration, for example --duration 2h');
  }
  const written = {
    schedule,
    zone: flags.value('zone') ?? localZone(),
    duration: flags.value('duration') ?? '',
    firstDay: flags.value('first-day') ?? '',
    lastDay: flags.value('last-day') ?? '',
  };
  const read = readRecurrence(written, nowMs);
  if (read.problem === undefined) return read.recurrence;
  throw new MonError('invalid', `--${OPTION_BY_PART[read.part]}: ${read.problem}`);
}

/**
 * Returns the next windows of a recurring silence, by the clock of the backend.
 *
 * @throws MonError `invalid` when the backend does not support recurrence: it would create a silence that never expires
 */
export async function windowsAhead(
  api: ApiClient,
  { subscription, check, selector, recurrence }: SubmittedMonSilenced,
): Promise<readonly ShownWindow[]> {
  const { windows } = await api.silencePreview({ entries: [{ subscription, check, selector }], recurrence });
  if (windows === undefined) throw new MonError('invalid', RECURRENCE_UNSUPPORTED);
  return windows;
}

/** Maximum number of silences whose details are fetched; the recurrence of further silences is not shown. */
const LOOKED_UP_MAX = 20;

/** Returns the recurring silences among these ids. Silences that were deleted meanwhile are left out. */
export async function findRecurring(api: ApiClient, ids: readonly string[]): Promise<readonly SilencedDetail[]> {
  const details = await Promise.all(ids.slice(0, LOOKED_UP_MAX).map((id) => api.silencedDetail(id)));
  return details.flatMap((detail) => (detail?.recurrence === undefined ? [] : detail));
}

/** Returns a line for each window of a recurring silence, with the effect of daylight saving time. */
export function windowLines(windows: readonly ShownWindow[], zone: string): readonly string[] {
  return windows.map((window) => `  ${fullWindowText(window, zone)}`);
}
