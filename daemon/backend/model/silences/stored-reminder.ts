import type { ReminderSent } from '../../../../shared/schemas/silenced.ts';

/*
 * In stores and dumps the attribute `reminder_sent` is named `reminded`, in silences and in events about silences. This
 * is the name of schema 4 and earlier, which later schemas still write.
 */

interface CurrentReminder {
  readonly reminder_sent?: ReminderSent;
}

interface StoredReminder {
  readonly reminded?: ReminderSent;
}

/** The stored form of a silence, with `reminded` instead of `reminder_sent`. */
export type WithStoredReminder<Silence> = Omit<Silence, keyof CurrentReminder> & StoredReminder;

/** Converts a silence to its stored form, with `reminded` instead of `reminder_sent`. */
export function toStoredReminder<Silence extends CurrentReminder>(silence: Silence): WithStoredReminder<Silence> {
  const { reminder_sent: reminded, ...attributes } = silence;
  return { ...attributes, ...(reminded && { reminded }) };
}

/** Converts a stored silence to the form in memory, with `reminder_sent` instead of `reminded`. */
export function toCurrentReminder<Silence extends StoredReminder>(
  silence: Silence,
): Omit<Silence, keyof StoredReminder> & CurrentReminder {
  const { reminded, ...attributes } = silence;
  return { ...attributes, ...(reminded && { reminder_sent: reminded }) };
}
