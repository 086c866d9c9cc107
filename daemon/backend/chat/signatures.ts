import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { signedButtonText, type ButtonOwner } from '../../../shared/domain/chat/button.ts';

/** Number of bytes of the signature of a button. Together with the claim it has to fit into 64 bytes for Telegram. */
const BUTTON_MAC_BYTES = 16;

/** Returns the signature of a button: 22 characters. */
export function buttonMac(secret: string, owner: ButtonOwner, claim: string): string {
  const mac = createHmac('sha256', secret).update(signedButtonText(owner, claim)).digest();
  return mac.subarray(0, BUTTON_MAC_BYTES).toString('base64url');
}

/** Compares two texts in a time that does not depend on their content. */
export function equalsInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

/**
 * Verifies the signature of a request of Slack (docs.slack.dev/authentication/verifying-requests-from-slack). It does
 * not check the time.
 *
 * @param body the body as it was received
 */
export function isSignedBySlack(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const { timestamp, signature } = slackHeaders(headers);
  const hash = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return equalsInConstantTime(`v0=${hash}`, signature);
}

/** Returns the headers of Slack that sign a request; a missing header is empty. */
export function slackHeaders(headers: IncomingHttpHeaders): { readonly timestamp: string; readonly signature: string } {
  return {
    timestamp: textOf(headers['x-slack-request-timestamp']),
    signature: textOf(headers['x-slack-signature']),
  };
}

/** True if Telegram sent the secret token of the webhook (core.telegram.org/bots/api#setwebhook). */
export function isSentByTelegram(secret: string, headers: IncomingHttpHeaders): boolean {
  return equalsInConstantTime(secret, textOf(headers['x-telegram-bot-api-secret-token']));
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
