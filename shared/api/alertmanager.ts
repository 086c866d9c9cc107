import { z } from 'zod';
import {
  alertAnswer,
  alertGroupAnswer,
  alertmanagerStatusAnswer,
  madeSilenceAnswer,
  postedAlertsSchema,
  postedSilenceSchema,
  receiversAnswer,
  silenceAnswer,
} from '../schemas/alert.ts';
import { endpointsBelow } from './endpoint.ts';
import { text } from './query.ts';

/** The wire of Alertmanager, version 2 of its API. */
export const ALERTMANAGER_PREFIX = '/api/v2';

const BODY_BYTES_MAX = 16 * 1024 * 1024;

const FILTER = text.describe('a matcher, `alertname="Down"` or `job=~"node.*"`; several times: all of them');
const wish = (what: string) => text.describe(`\`false\`: without ${what}`);
const ALERTS = {
  filter: FILTER,
  active: wish('alerts that nothing silences'),
  silenced: wish('alerts that are silenced'),
  inhibited: wish('alerts that others inhibit, of which there are none'),
  unprocessed: wish('alerts that nobody has looked at yet, of which there are none'),
  receiver: text.describe('a pattern for the whole name of a receiver; all alerts have the one of `mon`'),
};

const alertmanager = endpointsBelow(ALERTMANAGER_PREFIX);
const root = endpointsBelow('');
const PROBE = { scope: 'public', answer: z.string(), isOfItself: true } as const;

/** What Prometheus, `amtool` and Grafana ask an Alertmanager: it is about the namespace `default` alone. */
export const ALERTMANAGER_API = {
  healthy: root('GET /-/healthy', '`OK`, as an Alertmanager answers while it runs', PROBE),
  ready: root('GET /-/ready', '`OK`, as an Alertmanager answers once it takes alerts', PROBE),
  status: alertmanager('GET /status', 'What runs here, in the words of Alertmanager', {
    answer: alertmanagerStatusAnswer,
    isOfItself: true,
  }),
  receivers: alertmanager('GET /receivers', 'The one receiver: the handlers of `mon`', { answer: receiversAnswer }),
  alerts: alertmanager('GET /alerts', 'Open events as alerts', { query: ALERTS, answer: z.array(alertAnswer) }),
  alertGroups: alertmanager('GET /alerts/groups', 'Open events as alerts, those of a check together', {
    query: ALERTS,
    answer: z.array(alertGroupAnswer),
  }),
  postAlerts: alertmanager(
    'POST /alerts',
    'Takes alerts as results: what is valid is stored, the rest is named by its index',
    {
      scope: 'submit',
      bodyBytesMax: BODY_BYTES_MAX,
      body: postedAlertsSchema,
      errors: ['invalid', 'too_large', 'no_memory'],
    },
  ),

  silences: alertmanager('GET /silences', 'Silenced entries as silences', {
    query: { filter: FILTER },
    answer: z.array(silenceAnswer),
  }),
  silence: alertmanager('GET /silence/:id', 'One silence', { answer: silenceAnswer, errors: ['not_found'] }),
  postSilence: alertmanager(
    'POST /silences',
    'Makes a silence; one with an `id` changes that silence, or takes its place if the matchers are others',
    {
      scope: 'silence',
      body: postedSilenceSchema,
      answer: madeSilenceAnswer,
      errors: ['invalid', 'not_found', 'threshold', 'too_large', 'no_memory'],
    },
  ),
  deleteSilence: alertmanager('DELETE /silence/:id', 'Ends a silence', { scope: 'silence' }),
};
