import { clipText } from './clip.ts';
import { fieldsOf, problemKey, type Message } from './message.ts';
import { appendUrlPath, type Service, type ServiceRequest, type ServiceSettings } from './service.ts';

const MESSAGE_MAX = 130;
const ALIAS_MAX = 512;
const DESCRIPTION_MAX = 15_000;
const ENTITY_MAX = 512;
const NOTE_MAX = 25_000;
/** Maximum number of characters of all keys and values in `details`. */
const DETAILS_MAX = 8000;

const PRIORITIES = { ok: 'P5', warning: 'P3', critical: 'P1', unknown: 'P2' } as const;

/**
 * Adapter for the Alert API of Opsgenie (docs.opsgenie.com/docs/alert-api), and for its successor, the integration
 * events of Jira Service Management (developer.atlassian.com/cloud/jira/service-desk-ops/rest/v2,
 * api-group-integration-events). Both have the same requests below different URLs.
 */
export const alertApi: Service = {
  escape: (text) => text,
  request: (message, settings) => {
    switch (message.kind) {
      case 'problem':
        return requestTo(settings, '/v2/alerts', alertOf(message));
      case 'acknowledged':
        return requestTo(settings, actionPath(message, 'acknowledge'), { source: 'mon', note: noteOf(message) });
      case 'resolved':
        return requestTo(settings, actionPath(message, 'close'), { source: 'mon', note: noteOf(message) });
    }
  },
};

function requestTo(
  { url, api_key: key = '' }: ServiceSettings,
  path: string,
  body: ServiceRequest['body'],
): ServiceRequest {
  return { url: appendUrlPath(url, path), headers: { authorization: `GenieKey ${key}` }, body };
}

function actionPath(message: Message, action: 'acknowledge' | 'close'): string {
  return `/v2/alerts/${encodeURIComponent(problemKey(message, ALIAS_MAX))}/${action}?identifierType=alias`;
}

function noteOf({ title }: Message): string {
  return clipText(title, NOTE_MAX);
}

function alertOf(message: Message): ServiceRequest['body'] {
  const { title, output, text, client, severity } = message;
  return {
    message: clipText(title, MESSAGE_MAX),
    alias: problemKey(message, ALIAS_MAX),
    description: clipText(text ?? output, DESCRIPTION_MAX),
    details: detailsOf(message),
    entity: clipText(client, ENTITY_MAX),
    source: 'mon',
    priority: PRIORITIES[severity],
  };
}

/** Returns the fields of a message. The last fields are left out if together they would be too long. */
function detailsOf(message: Message): Readonly<Record<string, string>> {
  let remaining = DETAILS_MAX;
  return Object.fromEntries(
    Object.entries(fieldsOf(message)).filter((field) => {
      // The length in JSON: escapes, quotes, a colon and a comma count.
      remaining -= JSON.stringify(field).length;
      return remaining >= 0;
    }),
  );
}
