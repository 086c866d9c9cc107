import type { Acknowledgement } from '../../schemas/acknowledgement.ts';
import type { ButtonAction } from '../../schemas/chat.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';
import { dateTimeText } from '../time-text.ts';
import { BUTTON_SILENCE_SECONDS } from './button.ts';

/** The state that decides about a click. */
interface ClickState {
  readonly action: ButtonAction;
  /** Name of the person who clicked. */
  readonly person: string;
  /** The acknowledgement of the event. */
  readonly acknowledgement: Acknowledgement | undefined;
  /** The unexpired silence of this client and check. */
  readonly silence: Pick<SilencedEntry, 'expireAtMs'> | undefined;
  readonly nowMs: number;
}

/**
 * Returns the text that says why a click changes nothing; undefined if it has to act. Each action can be repeated
 * without harm: a second click does not take over the work of somebody else, and does not shorten a silence.
 */
export function idleClickText({ action, person, acknowledgement, silence, nowMs }: ClickState): string | undefined {
  switch (action) {
    case 'acknowledge':
      if (acknowledgement === undefined) return undefined;
      return acknowledgement.owner === person
        ? 'You have already acknowledged this problem.'
        : `${acknowledgement.owner} already works on this problem. Use monctl ack to take it over.`;
    case 'silence': {
      if (silence === undefined) return undefined;
      const { expireAtMs } = silence;
      if (expireAtMs === null) return 'This problem is already silenced without an end.';
      return expireAtMs < nowMs + BUTTON_SILENCE_SECONDS * 1000
        ? undefined
        : `This problem is already silenced until ${dateTimeText(expireAtMs, 'UTC')}.`;
    }
    case 'resolve':
      return undefined;
  }
}

/** Returns the line that says below a message what a click has changed, and by whom. */
export function clickNote(action: ButtonAction, person: string, nowMs: number): string {
  switch (action) {
    case 'acknowledge':
      return `Acknowledged by ${person}`;
    case 'silence':
      return `Silenced until ${dateTimeText(nowMs + BUTTON_SILENCE_SECONDS * 1000, 'UTC')} by ${person}`;
    case 'resolve':
      return `Resolved by ${person}`;
  }
}

/** The answer to the button of a problem that is over, or that was never stored. */
export const RESOLVED_TEXT =
  'This problem has resolved. A button acts only on the problem of its own message: look for a newer message.';
