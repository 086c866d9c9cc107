import type { ReminderSent } from '../../../../shared/schemas/silenced.ts';

/*
 * In stores and dumps the attribute `reminder_sent` is named `reminded`, in silences and in events about silences. This
 * is the name of schema 4 and earlier, which later schemas still write.
 */

interface Current {
  readonly reminder_sent?: ReminderSent;
}

interface Stored {
  readonly reminded?: ReminderSent;
}

/** The stored form of a silence, with `reminded` instead of `reminder_sent`. */
export type WithStoredReminder<Silence> = Omit<Silence, keyof Current> & Stored;

/** Converts a silence to its stored form, with `reminded` instead of `reminder_sent`. */
export function withStoredReminder<Silence extends Current>(silence: Silence): WithStoredReminder<Silence> {
  const { reminder_sent: reminded, ...attributes } = silence;
  return { ...attributes, ...(reminded && { reminded }) };
}

/** Converts a stored silence to the form in memory, with `reminder_sent` instead of `reminded`. */
export function withCurrentReminder<Silence extends Stored>(silence: Silence): Omit<Silence, keyof Stored> & Current {
  const { reminded, ...attributes } = silence;
  return { ...attributes, ...(reminded && { reminder_sent: reminded }) };
}
