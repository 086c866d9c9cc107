import { BUTTON_ACTIONS, type ButtonAction } from '../../schemas/chat.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';

/** A button below a chat message. */
export interface MessageButton {
  readonly action: ButtonAction;
  readonly label: string;
  /** The signed text that the service sends back when a user clicks the button: at most 64 bytes, as in Telegram. */
  readonly value: string;
}

/** The buttons below a chat message. */
export interface MessageButtons {
  /** The URL to which a service sends clicks, if the message itself says so. */
  readonly callbackUrl: string;
  readonly buttons: readonly MessageButton[];
}

/** Duration in seconds of a silence that a button creates. */
export const BUTTON_SILENCE_SECONDS = 3600;

export const BUTTON_LABELS: Readonly<Record<ButtonAction, string>> = {
  acknowledge: 'Acknowledge',
  silence: 'Silence 1 h',
  resolve: 'Resolve',
};

/** The version of the format of button values. */
const FORMAT = '1';
const CODES: Readonly<Record<ButtonAction, string>> = { acknowledge: 'a', silence: 's', resolve: 'r' };
const ACTIONS_BY_CODE = new Map(BUTTON_ACTIONS.map((action) => [CODES[action], action]));

const EVENT_ID = /^([\da-f]{8})-([\da-f]{4})-([\da-f]{4})-([\da-f]{4})-([\da-f]{12})$/;
const VALUE = /^(?<claim>1(?<code>[asr])(?<id>[\da-f]{32}))(?<mac>[-\w]{22})$/;

/**
 * Returns the actions that the message about an event offers: none for a resolved event, and none that already applies.
 */
export function buttonActionsOf({ action, check, acknowledged, silenced }: HandledEvent): readonly ButtonAction[] {
  if (action === 'resolve' || check.status === 0) return [];
  return BUTTON_ACTIONS.filter(
    (button) => !(button === 'acknowledge' && acknowledged !== undefined) && !(button === 'silence' && silenced),
  );
}

/**
 * Returns what a button claims: its action, and the id of the event that its message is about. An event gets a new id
 * when it opens again, so the button of a resolved problem does not act on the next one. Undefined if the event has no
 * id that a button can contain.
 */
export function buttonClaim(action: ButtonAction, eventId: string): string | undefined {
  return EVENT_ID.test(eventId) ? `${FORMAT}${CODES[action]}${eventId.replaceAll('-', '')}` : undefined;
}

/** The parts of the value of a button that a user clicked. */
interface ClickedButton {
  readonly action: ButtonAction;
  readonly eventId: string;
  /** The signed part of the value. */
  readonly claim: string;
  /** The signature, which the caller has to verify. */
  readonly mac: string;
}

/** Parses the value of a button; undefined if it is not one. */
export function parseButtonValue(value: string): ClickedButton | undefined {
  const { claim = '', code = '', id = '', mac = '' } = VALUE.exec(value)?.groups ?? {};
  const action = ACTIONS_BY_CODE.get(code);
  if (action === undefined) return undefined;
  const eventId = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { action, eventId, claim, mac };
}

/** The handler whose message has a button. A button works only for this handler. */
export interface ButtonOwner {
  readonly preset: string;
  readonly namespace: string;
  readonly handler: string;
}

/** Returns the text that the signature of a button covers. */
export function signedButtonText({ preset, namespace, handler }: ButtonOwner, claim: string): string {
  return JSON.stringify(['mon button', preset, namespace, handler, claim]);
}
