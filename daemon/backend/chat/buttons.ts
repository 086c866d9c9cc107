import {
  BUTTON_LABELS,
  buttonActionsOf,
  buttonClaim,
  type MessageButton,
  type MessageButtons,
} from '../../../shared/domain/chat/button.ts';
import { appendUrlPath } from '../../../shared/domain/message/service.ts';
import type { PresetHandler } from '../../../shared/domain/message/preset-request.ts';
import type { HandledEvent, HandlerJob } from '../../../shared/schemas/handler-job.ts';
import { buttonMac } from './signatures.ts';

/**
 * Returns the buttons of the message that a handler sends for a job; undefined if the message has none. The message
 * about a group of several events has no buttons, because each button acts on one event.
 *
 * @param publicUrl the setting `public-url`, below which services send clicks; undefined if it is not set
 */
export function messageButtons(
  job: HandlerJob,
  { preset, buttons }: PresetHandler,
  publicUrl: string | undefined,
): MessageButtons | undefined {
  const event = eventOfMessage(job);
  if (buttons === undefined || publicUrl === undefined || event === undefined) return undefined;
  const owner = { preset, namespace: job.namespace, handler: job.handler };
  return {
    callbackUrl: appendUrlPath(publicUrl, `/api/mon/v1/hooks/${preset}/${buttons.callback_token}`),
    buttons: buttonActionsOf(event).flatMap((action): MessageButton[] => {
      const claim = buttonClaim(action, event.id);
      if (claim === undefined) return [];
      const value = `${claim}${buttonMac(buttons.secret, owner, claim)}`;
      return [{ action, label: BUTTON_LABELS[action], value }];
    }),
  };
}

function eventOfMessage({ event, group }: HandlerJob): HandledEvent | undefined {
  if (group === undefined) return event;
  const [only, ...others] = group.events;
  return others.length === 0 && group.omitted === 0 ? only : undefined;
}
