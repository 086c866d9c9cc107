import { expect, test } from 'vitest';
import { openAlertRig, type AlertRig } from '../../../support/alert-rig.ts';

/** Opens a rig with events of `mon` results, which Prometheus did not send. */
async function openRig(): Promise<AlertRig> {
  const rig = await openAlertRig();
  for (const [source, name, status] of [
    ['web-1', 'disk', 2],
    ['web-2', 'disk', 1],
    ['db.1', 'disk', 2],
    ['db.1', 'load', 2],
  ] as const) {
    const answer = await rig.ask('POST', '/results', { source, name, output: 'x', status });
    expect(answer.status).toBe(202);
  }
  return rig;
}

/** Returns the alerts that a silence suppresses, as `instance/alertname`, by the query of Alertmanager clients. */
async function mutedBy(rig: AlertRig, id: string): Promise<readonly string[]> {
  const alerts = await rig.alerts('silenced=true&inhibited=false&active=false&unprocessed=false');
  return alerts
    .filter(({ status }) => status.silencedBy.includes(id))
    .map(({ labels }) => `${String(labels['instance'])}/${String(labels['alertname'])}`)
    .toSorted();
}

const DISK = { name: 'alertname', value: 'disk', isRegex: false, isEqual: true };

test.each([
  {
    what: 'two values of a label',
    matchers: [DISK, { name: 'instance', value: '(web-1|web-2)', isRegex: true, isEqual: true }],
    muted: ['web-1/disk', 'web-2/disk'],
  },
  {
    what: 'one escaped value',
    matchers: [{ name: 'instance', value: String.raw`db\.1`, isRegex: true, isEqual: true }],
    muted: ['db.1/disk', 'db.1/load'],
  },
  {
    what: 'all but one value',
    matchers: [DISK, { name: 'instance', value: 'web-1', isRegex: false, isEqual: false }],
    muted: ['db.1/disk', 'web-2/disk'],
  },
  {
    what: 'all but a pattern',
    matchers: [
      { name: 'alertname', value: '.+', isRegex: true, isEqual: true },
      { name: 'instance', value: String.raw`db\.1|web-2`, isRegex: true, isEqual: false },
    ],
    muted: ['web-1/disk'],
  },
])(
  'the silence form of karma silences native events by $what, edits its silence and expires it',
  async ({ matchers, muted }) => {
    const rig = await openRig();
    const form = { matchers, startsAt: rig.at(0), endsAt: rig.at(3600), createdBy: 'ada', comment: 'works' };
    const made = await rig.ask('POST', '/api/v2/silences', form);
    expect(made).toMatchObject({ status: 200, body: { silenceID: expect.any(String) as string } });
    const { silenceID: id } = made.body as { readonly silenceID: string };
    expect(await mutedBy(rig, id)).toEqual(muted);
    const [silence] = await rig.silences();
    expect(silence).toMatchObject({ id, matchers, status: { state: 'active' }, createdBy: 'ada', comment: 'works' });
    const edited = { ...form, id, startsAt: silence?.startsAt, endsAt: rig.at(7200), comment: 'longer' };
    expect(await rig.ask('POST', '/api/v2/silences', edited)).toEqual({ status: 200, body: { silenceID: id } });
    expect(await rig.silences()).toMatchObject([{ id, comment: 'longer', endsAt: rig.at(7200) }]);
    expect((await rig.ask('DELETE', `/api/v2/silence/${id}`)).status).toBe(200);
    expect(await mutedBy(rig, id)).toEqual([]);
  },
);

test('kthxbye extends a silence of native events when it sends back all listed attributes', async () => {
  const rig = await openRig();
  const matchers = [DISK, { name: 'instance', value: 'web-.*', isRegex: true, isEqual: true }];
  const id = await rig.silence(matchers, { endsAt: rig.at(240), comment: 'ACK! works' });
  const [silence] = await rig.silences();
  expect(silence?.status.state).toBe('active');
  expect(await mutedBy(rig, id)).toEqual(['web-1/disk', 'web-2/disk']);
  rig.clock.advance(200_000);
  // The client sends back the whole silence, with its status and the time of its last change.
  const extended = await rig.ask('POST', '/api/v2/silences', { ...silence, endsAt: rig.at(900) });
  expect(extended).toEqual({ status: 200, body: { silenceID: id } });
  rig.clock.advance(100_000);
  expect(await rig.silences()).toMatchObject([{ id, matchers, comment: 'ACK! works', startsAt: silence?.startsAt }]);
  expect(await mutedBy(rig, id)).toEqual(['web-1/disk', 'web-2/disk']);
});
