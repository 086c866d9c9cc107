import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { mailOf, type EmailHandler } from '../../../../../shared/domain/message/mail.ts';
import type { GroupedEvent, GroupRun, HandledEvent, HandlerJob } from '../../../../../shared/schemas/handler-job.ts';
import { handlerSchema } from '../../../../../shared/schemas/handler.ts';
import { PRESET_NAMES, presetTraits } from '../../../../../shared/schemas/preset.ts';
import type { PresetHandler } from '../../../../../shared/domain/message/preset-request.ts';
import { aJob, anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { HttpReceiver } from '../../../../support/http-receiver.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { PRESET_DEFINITIONS, SERVICE_FORMATS } from '../../../../support/service-formats.ts';

const GOLDEN = join(import.meta.dirname, '../../../../golden/notifications.yml');

/** The time at which the problem of `PROBLEM` began, in epoch seconds. */
const BEGIN = 1_767_225_600;
/** The notifications are sent 22 minutes after the problem began. */
const NOW_MS = (BEGIN + 22 * 60) * 1000;

const OUTPUT = 'DISK CRITICAL - /var/lib/pg_data is 96 % full <@here> & growing|/var=96%;80;90\nlargest: *wal* 41 GiB';

const PROBLEM = anEvent({
  client: { name: 'db-1', subscriptions: ['db', 'client:db-1'], datacenter: 'fra' },
  check: {
    output: OUTPUT,
    history: ['0', '1', '1', '2'],
    subscribers: ['db'],
    runbook: 'https://wiki.example.com/disk_full',
  },
  occurrences: 3,
});

const ACKNOWLEDGED: HandledEvent = {
  ...PROBLEM,
  acknowledged: { by: 'ada', at: BEGIN + 1200, note: 'moving the old logs', until: BEGIN + 7200 },
  acknowledgement_started: true,
};

const RESOLVED: HandledEvent = {
  ...PROBLEM,
  check: { ...PROBLEM.check, status: 0, output: 'DISK OK - 61 % full|/var=61%;80;90', history: ['1', '2', '0'] },
  action: 'resolve',
  acknowledged: { by: 'ada', at: BEGIN + 1200, note: 'moving the old logs' },
};

const grouped = (at: number): GroupedEvent => ({
  ...anEvent({ client: { name: `web-${String(at)}` }, check: { name: 'http', output: 'connection refused' } }),
  change: at < 13 ? 'new' : 'same',
});

const GROUP: GroupRun = {
  id: '0123456789abcdef',
  by: { 'client.datacenter': 'fra' },
  cause: 'change',
  severity: 'critical',
  firing: 216,
  new: 13,
  changed: 0,
  resolved: 1,
  omitted: 200,
  events: [
    ...Array.from({ length: 14 }, (_, at) => grouped(at)),
    { ...PROBLEM, change: 'same' },
    { ...RESOLVED, change: 'resolved' },
  ],
};

const PUBLIC_URL = 'https://mon.example.com';

/** The buttons of a handler for a chat. */
const BUTTONS = { callback_token: 'token-0123456789abcdef', secret: 'secret-0123456789abcdef', api_key: 'mk_0_0' };

const DETAILS = ['client.datacenter'];

/** The definition of a mail handler; only the text of its mails is compared here. */
const MAIL = { type: 'email', smtp: { host: 'mx' }, from: 'mon@example.com', to: 'ops@example.com', details: DETAILS };

const MESSAGE = { namespace: 'default', output: undefined, publicUrl: PUBLIC_URL, nowMs: NOW_MS };

const JOBS: readonly (readonly [title: string, job: Partial<HandlerJob>])[] = [
  ['problem', { event: PROBLEM }],
  ['acknowledged', { event: ACKNOWLEDGED }],
  ['resolved', { event: RESOLVED }],
  ['group', { event: PROBLEM, group: GROUP }],
];

/** Returns the jobs of a handler; only some handlers are notified of an acknowledgement. */
function jobsOf(showsAcknowledgements = false): typeof JOBS {
  return JOBS.filter(([title]) => showsAcknowledgements || title !== 'acknowledged');
}

test('each preset and a mail handler send their notifications as this file shows', async () => {
  const receiver = await HttpReceiver.open();
  const clock = new ManualClock(NOW_MS);
  const rig = new DeliveryRig({ clock, publicUrl: PUBLIC_URL });
  const texts: Record<string, Record<string, unknown>> = {};
  for (const preset of PRESET_NAMES) {
    const definition = { type: 'webhook', ...PRESET_DEFINITIONS[preset], details: DETAILS };
    const bodies: Record<string, unknown> = {};
    for (const [title, job] of jobsOf(presetTraits(preset).showsAcknowledgements)) {
      expect(await rig.run({ ...definition, url: receiver.url }, { job })).toEqual({ kind: 'delivered' });
      const body = JSON.parse(receiver.received.at(-1)?.body ?? '') as unknown;
      expect(SERVICE_FORMATS[preset].safeParse(body).error?.issues ?? []).toEqual([]);
      bodies[title] = body;
    }
    texts[preset] = bodies;
  }
  for (const preset of PRESET_NAMES.filter((name) => presetTraits(name).hasButtons === true)) {
    const definition = { type: 'webhook', ...PRESET_DEFINITIONS[preset], details: DETAILS, url: receiver.url };
    const handler = handlerSchema.parse({ ...definition, buttons: BUTTONS }) as PresetHandler;
    expect(await rig.run(handler, { job: { event: PROBLEM } })).toEqual({ kind: 'delivered' });
    const { acknowledgement_started: _, ...event } = ACKNOWLEDGED;
    const request = await rig.delivery.rebuildMessage(aJob({ event }), handler, 'Acknowledged by ada');
    const bodies = {
      'problem with buttons': JSON.parse(receiver.received.at(-1)?.body ?? '') as unknown,
      'after a click': JSON.parse(JSON.stringify(request?.body)) as unknown,
    };
    for (const body of Object.values(bodies)) {
      expect(SERVICE_FORMATS[preset].safeParse(body).error?.issues ?? []).toEqual([]);
    }
    texts[preset] = { ...texts[preset], ...bodies };
  }
  const mail = handlerSchema.parse(MAIL) as EmailHandler;
  texts['email'] = Object.fromEntries(
    jobsOf(false).map(([title, job]) => {
      const { html: _, problems, ...rest } = mailOf(mail, { ...MESSAGE, event: PROBLEM, ...job });
      expect(problems).toEqual([]);
      return [title, rest];
    }),
  );
  const head =
    '# The bodies that each preset sends, and the text of mails: test/daemon/backend/notify/delivery/notification-texts.test.ts\n';
  await expect(`${head}${stringify(texts, { lineWidth: 0 })}`).toMatchFileSnapshot(GOLDEN);
});
