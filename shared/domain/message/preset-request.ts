import type { RunningHandler } from '../../schemas/handler.ts';
import { presetTraits, type Preset } from '../../schemas/preset.ts';
import { alertApi } from './alert-api.ts';
import { clipText, plainLine } from './clip.ts';
import { grafanaIrm } from './grafana-irm.ts';
import { incidentIo } from './incident-io.ts';
import { mattermost } from './mattermost.ts';
import { ntfy } from './ntfy.ts';
import { pagerduty } from './pagerduty.ts';
import type { Service, ServiceRequest } from './service.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { MessageRenderer, type MessageSubject } from './message-renderer.ts';

const SERVICES_BY_PRESET: Readonly<Record<Preset, Service>> = {
  slack,
  mattermost,
  teams,
  pagerduty,
  opsgenie: alertApi,
  'jira-service-management': alertApi,
  'incident-io': incidentIo,
  'grafana-irm': grafanaIrm,
  telegram,
  ntfy,
};

/** Maximum length of the line about a click. */
const NOTE_MAX = 200;

/** A webhook handler with a preset: the name of a service such as Slack, for which the request is built. */
export type PresetHandler = Extract<RunningHandler, { type: 'webhook' }> & { readonly preset: Preset };

export function isPreset(handler: RunningHandler): handler is PresetHandler {
  return handler.type === 'webhook' && handler.preset !== undefined;
}

export interface PresetRequest extends ServiceRequest {
  /** Problems in the templates of the handler, such as missing attributes, which the caller logs. */
  readonly problems: readonly string[];
}

/** Returns the request that a webhook with a preset sends for an event or a group (completion 1.23). */
export function presetRequest(handler: PresetHandler, messageSubject: MessageSubject): PresetRequest {
  const { preset } = handler;
  const { buttons, note } = messageSubject;
  const service = SERVICES_BY_PRESET[preset];
  const telegraph = new MessageRenderer(handler, messageSubject);
  const title = telegraph.line('title');
  const text = telegraph.text('text', service.escape);
  const { message: defaults } = telegraph;
  const message = {
    ...defaults,
    // A title from a template need not contain the first line of the output.
    ...(title !== undefined && { title, remainingOutput: defaults.output }),
    ...(text !== undefined && { text }),
    ...(note !== undefined && { note: clipText(plainLine(note), NOTE_MAX) }),
    ...(buttons !== undefined && { buttons }),
  };
  const request = service.request(message, { ...handler, url: handler.url ?? presetTraits(preset).url ?? '' });
  return { ...request, problems: telegraph.problems };
}
