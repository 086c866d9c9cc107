import { z } from 'zod';
import {
  alertResponse,
  alertGroupResponse,
  alertmanagerStatusResponse,
  madeSilenceResponse,
  postedAlertsSchema,
  postedSilenceSchema,
  receiversResponse,
  silenceResponse,
} from '../schemas/alert.ts';
import { endpointBuilder } from './endpoint.ts';
import { textParameter } from './query.ts';

/** Path of version 2 of the Alertmanager API. */
export const ALERTMANAGER_PREFIX = '/api/v2';

const BODY_BYTES_MAX = 16 * 1024 * 1024;

const MATCHER_PARAMETER = textParameter.describe(
  'a matcher such as `alertname="Down"` or `job=~"node.*"`; if repeated, all must match',
);
const exclusionParameter = (what: string) => textParameter.describe(`\`false\`: exclude ${what}`);
const ALERT_PARAMETERS = {
  filter: MATCHER_PARAMETER,
  active: exclusionParameter('alerts that are neither silenced nor inhibited'),
  silenced: exclusionParameter('alerts that are silenced'),
  inhibited: exclusionParameter('alerts that are inhibited'),
  unprocessed: exclusionParameter('unprocessed alerts; there are none'),
  receiver: textParameter.describe('regular expression for the receiver name; all alerts have the receiver `mon`'),
};

const alertmanagerEndpoint = endpointBuilder(ALERTMANAGER_PREFIX);
const rootEndpoint = endpointBuilder('');
const PROBE_OPTIONS = { scope: 'public', response: z.string(), isOfItself: true } as const;

/**
 * The endpoints of the Alertmanager API that Prometheus, `amtool` and Grafana use. They give access only to the
 * namespace `default`.
 */
export const ALERTMANAGER_API = {
  healthy: rootEndpoint('GET /-/healthy', '`OK` while the backend runs, as in Alertmanager', PROBE_OPTIONS),
  ready: rootEndpoint('GET /-/ready', '`OK` once alerts are accepted, as in Alertmanager', PROBE_OPTIONS),
  status: alertmanagerEndpoint('GET /status', 'Status in the format of Alertmanager', {
    response: alertmanagerStatusResponse,
    isOfItself: true,
  }),
  receivers: alertmanagerEndpoint('GET /receivers', 'The receiver `mon`, which stands for all handlers', {
    response: receiversResponse,
  }),
  alerts: alertmanagerEndpoint('GET /alerts', 'Open events as alerts', {
    query: ALERT_PARAMETERS,
    response: z.array(alertResponse),
  }),
  alertGroups: alertmanagerEndpoint('GET /alerts/groups', 'Open events as alerts, grouped by check', {
    query: ALERT_PARAMETERS,
    response: z.array(alertGroupResponse),
  }),
  postAlerts: alertmanagerEndpoint('POST /alerts', 'Stores alerts as results; invalid ones are listed by index', {
    scope: 'submit',
    bodyBytesMax: BODY_BYTES_MAX,
    body: postedAlertsSchema,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),

  silences: alertmanagerEndpoint('GET /silences', 'Silences', {
    query: { filter: MATCHER_PARAMETER },
    response: z.array(silenceResponse),
  }),
  silence: alertmanagerEndpoint('GET /silence/:id', 'One silence', {
    response: silenceResponse,
    errors: ['not_found'],
  }),
  postSilence: alertmanagerEndpoint(
    'POST /silences',
    'Creates a silence; with an `id` it changes that silence, or replaces it if the matchers differ',
    {
      scope: 'silence',
      body: postedSilenceSchema,
      response: madeSilenceResponse,
      errors: ['invalid', 'not_found', 'threshold', 'too_large', 'no_memory'],
    },
  ),
  deleteSilence: alertmanagerEndpoint('DELETE /silence/:id', 'Ends a silence', { scope: 'silence' }),
};
