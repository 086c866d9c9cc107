import { commandText } from '../../../../shared/domain/command-text.ts';
import { mailOf } from '../../../../shared/domain/message/mail.ts';
import { isPreset, presetRequest } from '../../../../shared/domain/message/preset-request.ts';
import type { MessageSubject } from '../../../../shared/domain/message/message-renderer.ts';
import { DEFINITION_REDACT_KEYS, redact } from '../../../../shared/domain/redact.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { plainHeaders, type WebhookHandler } from './webhook.ts';

interface Previewed {
  readonly job: HandlerJob;
  /** The output of the mutator for the redacted event or group. */
  readonly data: string;
  readonly subject: MessageSubject;
}

/**
 * Returns what a handler would send for a job, for display. The secrets in the definition of the handler are redacted,
 * as in all responses of the API.
 */
export function previewOf(handler: RunningHandler, { job, data, subject }: Previewed): Record<string, unknown> {
  const shown = redact(handler, DEFINITION_REDACT_KEYS);
  switch (shown.type) {
    case 'pipe':
      return { command: commandText(shown.command), input: data };
    case 'tcp':
    case 'udp':
      return { socket: shown.socket, data };
    case 'transport':
      return { pipe: shown.pipe, data };
    case 'webhook':
      return webhookPreview(shown, { job, data, subject });
    case 'email': {
      const { smtp, from, to, cc, reply_to: replyTo } = shown;
      const { problems, ...mail } = mailOf(shown, subject);
      const addresses = {
        from,
        to,
        ...(cc !== undefined && { cc }),
        ...(replyTo !== undefined && { reply_to: replyTo }),
      };
      return { smtp, ...addresses, ...mail, ...notes(problems) };
    }
  }
}

function webhookPreview(handler: WebhookHandler, { job, data, subject }: Previewed): Record<string, unknown> {
  const { secret, headers: own } = handler;
  // The names and values of configured headers are never shown: `...` only says that there are some.
  const hidden = {
    ...(own !== undefined && { '...': 'REDACTED' }),
    ...(secret !== undefined && { 'x-mon-signature': 'REDACTED' }),
  };
  const headers = { ...plainHeaders(job), ...hidden };
  if (!isPreset(handler)) return { method: 'POST', url: handler.url, headers, body: data };
  const request = presetRequest(handler, subject);
  return {
    method: 'POST',
    url: request.url,
    headers: { ...headers, ...request.headers },
    body: request.body,
    ...notes(request.problems),
  };
}

function notes(problems: readonly string[]): { readonly problems?: readonly string[] } {
  return problems.length === 0 ? {} : { problems };
}
