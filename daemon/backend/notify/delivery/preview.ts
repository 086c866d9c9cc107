import { commandText } from '../../../../shared/domain/command-text.ts';
import { mailOf } from '../../../../shared/domain/message/mail.ts';
import { isPreset, presetRequest } from '../../../../shared/domain/message/preset-request.ts';
import type { MessageSubject } from '../../../../shared/domain/message/message-renderer.ts';
import { DEFINITION_REDACT_KEYS, redact } from '../../../../shared/domain/redact.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { headersWithoutSecrets, type WebhookHandler } from './webhook.ts';

interface PreviewInput {
  readonly job: HandlerJob;
  /** The output of the mutator for the redacted event or group. */
  readonly mutatorOutput: string;
  readonly subject: MessageSubject;
}

/**
 * Returns what a handler would send for a job, for display. The secrets in the definition of the handler are redacted,
 * as in all responses of the API.
 */
export function buildPreview(
  handler: RunningHandler,
  { job, mutatorOutput, subject }: PreviewInput,
): Record<string, unknown> {
  const redactedHandler = redact(handler, DEFINITION_REDACT_KEYS);
  switch (redactedHandler.type) {
    case 'pipe':
      return { command: commandText(redactedHandler.command), input: mutatorOutput };
    case 'tcp':
    case 'udp':
      return { socket: redactedHandler.socket, data: mutatorOutput };
    case 'transport':
      return { pipe: redactedHandler.pipe, data: mutatorOutput };
    case 'webhook':
      return webhookPreview(redactedHandler, { job, mutatorOutput, subject });
    case 'email': {
      const { smtp, from, to, cc, reply_to: replyTo } = redactedHandler;
      const { problems, ...mail } = mailOf(redactedHandler, subject);
      const addresses = {
        from,
        to,
        ...(cc !== undefined && { cc }),
        ...(replyTo !== undefined && { reply_to: replyTo }),
      };
      return { smtp, ...addresses, ...mail, ...problemsField(problems) };
    }
  }
}

function webhookPreview(
  handler: WebhookHandler,
  { job, mutatorOutput, subject }: PreviewInput,
): Record<string, unknown> {
  const { secret, headers: configuredHeaders } = handler;
  // The names and values of configured headers are never shown: `...` only shows that the handler has configured
  // headers.
  const redactedHeaders = {
    ...(configuredHeaders !== undefined && { '...': 'REDACTED' }),
    ...(secret !== undefined && { 'x-mon-signature': 'REDACTED' }),
  };
  const headers = { ...headersWithoutSecrets(job), ...redactedHeaders };
  if (!isPreset(handler)) return { method: 'POST', url: handler.url, headers, body: mutatorOutput };
  const request = presetRequest(handler, subject);
  return {
    method: 'POST',
    url: request.url,
    headers: { ...headers, ...request.headers },
    body: request.body,
    ...problemsField(request.problems),
  };
}

function problemsField(problems: readonly string[]): { readonly problems?: readonly string[] } {
  return problems.length === 0 ? {} : { problems };
}
