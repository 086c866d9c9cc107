import type { ReminderSent } from '../../../../shared/schemas/silenced.ts';

/*
 * Up to schema 4, the store and dumps have `reminded` for `reminder_sent`, in silences and in events about a silence.
 */

interface Current {
  readonly reminder_sent?: ReminderSent;
}

interface Stored {
  readonly reminded?: ReminderSent;
}

/** A silence as it is stored, in the place of one in memory. */
export type WithStoredReminder<Silence> = Omit<Silence, keyof Current> & Stored;

/** Returns a silence with the stored name of its reminder. */
export function withStoredReminder<Silence extends Current>(silence: Silence): WithStoredReminder<Silence> {
  const { reminder_sent: reminded, ...attributes } = silence;
  return { ...attributes, ...(reminded && { reminded }) };
}

/** Returns a stored silence with the current name of its reminder. */
export function withCurrentReminder<Silence extends Stored>(silence: Silence): Omit<Silence, keyof Stored> & Current {
  const { reminded, ...attributes } = silence;
  return { ...attributes, ...(reminded && { reminder_sent: reminded }) };
}
