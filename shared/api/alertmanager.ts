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
import { endpointsBelow } from './endpoint.ts';
import { text } from './query.ts';

/** Path of version 2 of the Alertmanager API. */
export const ALERTMANAGER_PREFIX = '/api/v2';

const BODY_BYTES_MAX = 16 * 1024 * 1024;

const FILTER = text.describe('a matcher such as `alertname="Down"` or `job=~"node.*"`; if repeated, all must match');
const wish = (what: string) => text.describe(`\`false\`: exclude ${what}`);
const ALERTS = {
  filter: FILTER,
  active: wish('alerts that are neither silenced nor inhibited'),
  silenced: wish('alerts that are silenced'),
  inhibited: wish('alerts that are inhibited'),
  unprocessed: wish('unprocessed alerts; there are none'),
  receiver: text.describe('regular expression for the receiver name; all alerts have the receiver `mon`'),
};

const alertmanager = endpointsBelow(ALERTMANAGER_PREFIX);
const root = endpointsBelow('');
const PROBE = { scope: 'public', response: z.string(), isOfItself: true } as const;

/**
 * The endpoints of the Alertmanager API that Prometheus, `amtool` and Grafana use. They give access only to the
 * namespace `default`.
 */
export const ALERTMANAGER_API = {
  healthy: root('GET /-/healthy', '`OK` while the backend runs, as in Alertmanager', PROBE),
  ready: root('GET /-/ready', '`OK` once alerts are accepted, as in Alertmanager', PROBE),
  status: alertmanager('GET /status', 'Status in the format of Alertmanager', {
    response: alertmanagerStatusResponse,
    isOfItself: true,
  }),
  receivers: alertmanager('GET /receivers', 'The receiver `mon`, which stands for all handlers', {
    response: receiversResponse,
  }),
  alerts: alertmanager('GET /alerts', 'Open events as alerts', { query: ALERTS, response: z.array(alertResponse) }),
  alertGroups: alertmanager('GET /alerts/groups', 'Open events as alerts, grouped by check', {
    query: ALERTS,
    response: z.array(alertGroupResponse),
  }),
  postAlerts: alertmanager('POST /alerts', 'Stores alerts as results; invalid ones are listed by index', {
    scope: 'submit',
    bodyBytesMax: BODY_BYTES_MAX,
    body: postedAlertsSchema,
    errors: ['invalid', 'too_large', 'no_memory'],
  }),

  silences: alertmanager('GET /silences', 'Silences', {
    query: { filter: FILTER },
    response: z.array(silenceResponse),
  }),
  silence: alertmanager('GET /silence/:id', 'One silence', { response: silenceResponse, errors: ['not_found'] }),
  postSilence: alertmanager(
    'POST /silences',
    'Creates a silence; with an `id` it changes that silence, or replaces it if the matchers differ',
    {
      scope: 'silence',
      body: postedSilenceSchema,
      response: madeSilenceResponse,
      errors: ['invalid', 'not_found', 'threshold', 'too_large', 'no_memory'],
    },
  ),
  deleteSilence: alertmanager('DELETE /silence/:id', 'Ends a silence', { scope: 'silence' }),
};
