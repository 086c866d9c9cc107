import { describe, expect, test } from 'vitest';
import { equal, noPattern, openAlertRig, pattern, unequal, type AlertRig } from '../../../support/alert-rig.ts';

const DOWN = { alertname: 'Down', instance: 'web-1', severity: 'critical' };
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** Returns the labels of all alerts in this state. */
async function labelsOf(rig: AlertRig, state: 'active' | 'suppressed'): Promise<readonly object[]> {
  return (await rig.alerts()).filter(({ status }) => status.state === state).map(({ labels }) => labels);
}

describe('a silence of the Alertmanager API', () => {
  test('a silence covers every alert that its matchers match, even alerts with additional labels', async () => {
    const rig = await openAlertRig();
    const full = { alertname: 'DiskFull', job: 'node', severity: 'warning' };
    await rig.send(full, { ...full, device: 'sda' }, { ...full, job: 'other' });
    await rig.expectHandled(...(await eventNames(rig)));
    const matchers = Object.entries(full).map(([name, value]) => equal(name, value));
    expect(await rig.silence(matchers)).toMatch(UUID);
    expect(await labelsOf(rig, 'suppressed')).toHaveLength(2);
    expect(await labelsOf(rig, 'active')).toEqual([{ ...full, job: 'other' }]);
    await rig.send(full, { ...full, device: 'sda' }, { ...full, device: 'sdb' }, { ...full, job: 'other' });
    const active = (await eventNames(rig, (event) => !event.silenced)).toSorted();
    await rig.expectHandled(...active);
  });

  test('a silence on an alertname does not cover another alertname that maps to the same check name', async () => {
    const rig = await openAlertRig();
    await rig.send({ alertname: 'CPU > 90' }, { alertname: 'CPU < 90' }, { alertname: 'CPU-90' });
    await rig.silence([equal('alertname', 'CPU > 90')]);
    expect(await labelsOf(rig, 'suppressed')).toEqual([{ alertname: 'CPU > 90' }]);
    const { body } = await rig.ask('GET', '/api/v2/alerts/groups');
    expect((body as readonly { labels: object }[]).map(({ labels }) => labels)).toHaveLength(3);
  });

  test('a silence on an instance covers neither other ports of the machine nor checks of mon on the machine', async () => {
    const rig = await openAlertRig();
    await rig.send({ alertname: 'Slow', instance: 'db-9:9100' }, { alertname: 'Slow', instance: 'db-9:9187' });
    await rig.ask('POST', '/results', { source: 'db-9', name: 'disk', output: 'full', status: 2 });
    await rig.silence([equal('instance', 'db-9:9100')]);
    expect(await labelsOf(rig, 'suppressed')).toEqual([{ alertname: 'Slow', instance: 'db-9:9100' }]);
  });

  test('a silence on a label is case-sensitive and can match labels of any name, or the severity alone', async () => {
    const rig = await openAlertRig();
    await rig.send(
      { alertname: 'A', env: 'prod' },
      { alertname: 'A', env: 'Prod' },
      { alertname: 'S', 'service.name': 'shop' },
    );
    await rig.send({ alertname: 'I', severity: 'info' }, { alertname: 'U', 区域: '上海' });
    await rig.silence([equal('env', 'prod')]);
    await rig.silence([equal('service.name', 'shop')]);
    await rig.silence([equal('severity', 'info')]);
    await rig.silence([pattern('区域', '上.')]);
    expect(await labelsOf(rig, 'active')).toEqual([{ alertname: 'A', env: 'Prod' }]);
  });

  test.each([
    [
      'all labels that the list shows',
      [equal('alertname', 'disk'), equal('instance', 'web-01'), equal('severity', 'critical')],
    ],
    ['patterns of names', [pattern('alertname', 'disk|warn'), pattern('instance', 'web-01|cpu')]],
    ['a pattern of names and an instance', [pattern('alertname', '(disk|warn)'), equal('instance', 'web-01')]],
    ['a pattern of instances', [equal('alertname', 'disk'), pattern('instance', 'web-.*')]],
    ['a pattern of severities', [equal('instance', 'web-01'), pattern('severity', 'critical|warning')]],
    ['any name', [pattern('alertname', '.+'), unequal('instance', 'db-01')]],
    ['digits and an anchor', [pattern('instance', '^web-[0-9]{2}$')]],
    ['letters of either case', [pattern('instance', '(?i)WEB-0[^2-9]')]],
    ['its subscription', [equal('subscription', 'client:web-01')]],
    ['a label of its own', [equal('team', 'storage'), noPattern('instance', 'db.*')]],
  ])('a silence of the Alertmanager API covers an event of a native check by %s', async (_name, matchers) => {
    const rig = await openAlertRig();
    const metadata = { labels: { team: 'storage' } };
    const result = { name: 'disk', output: 'full', status: 2, metadata };
    await rig.ask('POST', '/results', { ...result, source: 'web-01' });
    await rig.ask('POST', '/results', { ...result, source: 'db-01' });
    await rig.expectHandled('web-01/disk', 'db-01/disk');
    await rig.silence(matchers);
    await rig.ask('POST', '/results', { ...result, source: 'web-01' });
    await rig.ask('POST', '/results', { ...result, source: 'db-01' });
    await rig.expectHandled('db-01/disk');
    expect((await labelsOf(rig, 'suppressed')).map((labels) => (labels as Record<string, string>)['instance'])).toEqual(
      ['web-01'],
    );
  });

  test('a silence on a severity covers an event while its status matches, and also suppresses its resolution', async () => {
    const rig = await openAlertRig();
    const result = { source: 'web-1', name: 'disk', output: '' };
    await rig.silence([equal('severity', 'critical'), equal('instance', 'web-1')]);
    await rig.ask('POST', '/results', { ...result, status: 1 });
    await rig.expectHandled('web-1/disk');
    await rig.ask('POST', '/results', { ...result, status: 2 });
    expect(await labelsOf(rig, 'suppressed')).toHaveLength(1);
    await rig.ask('POST', '/results', { ...result, status: 0 });
    await rig.expectHandled();
  });

  test('alerts that still fire when their silence is deleted or expires are notified', async () => {
    const rig = await openAlertRig();
    const id = await rig.silence([pattern('alertname', 'Do.+')]);
    await rig.silence([equal('alertname', 'Slow')], { endsAt: rig.at(60) });
    await rig.send(DOWN, { ...DOWN, alertname: 'Slow' });
    await rig.expectHandled();
    await rig.ask('DELETE', `/api/v2/silence/${id}`);
    await rig.expectHandled('web-1/Down..critical');
    for (let second = 0; second < 61; second++) rig.clock.advance(1000);
    await rig.expectHandled('web-1/Slow..critical');
    expect(await rig.silences()).toEqual([]);
  });

  test('a silence on a label of a check follows the label in the last result', async () => {
    const rig = await openAlertRig();
    const report = (team: string) =>
      rig.ask('POST', '/results', { source: 'a', name: 'b', output: '', status: 1, metadata: { labels: { team } } });
    await rig.silence([equal('team', 'db')]);
    await report('db');
    expect(await labelsOf(rig, 'suppressed')).toHaveLength(1);
    await report('web');
    await rig.expectHandled('a/b');
    expect(await labelsOf(rig, 'active')).toHaveLength(1);
    await report('db');
    expect(await labelsOf(rig, 'suppressed')).toHaveLength(1);
  });

  test('two silences with the same matchers are separate, and either of them keeps an alert suppressed', async () => {
    const rig = await openAlertRig();
    await rig.send(DOWN);
    const own = { createdBy: 'ann', comment: 'disk swap', endsAt: rig.at(86_400), startsAt: rig.at(0) };
    const first = await rig.silence([equal('alertname', 'Down')], own);
    const second = await rig.silence([equal('alertname', 'Down')], { createdBy: 'deploy', comment: '' });
    expect(first).not.toBe(second);
    expect((await rig.alerts())[0]?.status.silencedBy.toSorted()).toEqual([first, second].toSorted());
    await rig.ask('DELETE', `/api/v2/silence/${second}`);
    expect(await labelsOf(rig, 'suppressed')).toHaveLength(1);
    expect(await rig.silences()).toMatchObject([{ id: first, ...own, matchers: [equal('alertname', 'Down')] }]);
    await rig.restart();
    expect(await labelsOf(rig, 'suppressed')).toHaveLength(1);
    await rig.ask('DELETE', `/api/v2/silence/${first}`);
    expect(await labelsOf(rig, 'active')).toHaveLength(1);
    expect((await rig.ask('DELETE', `/api/v2/silence/${first}`)).status).toBe(404);
  });

  test('a silence may name hundreds of instances in one matcher', async () => {
    const rig = await openAlertRig();
    await rig.send(DOWN, { ...DOWN, instance: 'web-400' });
    const instances = Array.from({ length: 300 }, (_, at) => `web-${String(at)}`).join('|');
    await rig.silence([pattern('instance', `(${instances})`)]);
    expect(await labelsOf(rig, 'active')).toEqual([{ ...DOWN, instance: 'web-400' }]);
    await rig.restart();
    expect(await labelsOf(rig, 'suppressed')).toEqual([DOWN]);
    const { body } = await rig.ask('GET', '/api/mon/v1/timeline');
    expect(JSON.stringify(body)).toContain('web-299');
    expect((await rig.ask('GET', '/api/mon/v1/timeline/web-1/Down..critical')).status).toBe(200);
  });

  test('the Alertmanager API returns a silence exactly as it was sent', async () => {
    const rig = await openAlertRig();
    const given = {
      matchers: [noPattern('b', 'x|"y"\\.'), equal('alertname', '磁盘 "full"\n'), unequal('service.name', '')],
      startsAt: new Date(rig.clock.now() + 1234).toISOString(),
      endsAt: new Date(rig.clock.now() + 98_765).toISOString(),
      createdBy: 'Ада <ada@example.com>',
      comment: 'line one\nline two',
    };
    const id = await rig.silence(given.matchers, given);
    expect((await rig.ask('GET', `/api/v2/silence/${id}`)).body).toEqual({
      ...given,
      id,
      updatedAt: rig.at(0),
      status: { state: 'pending' },
    });
  });

  test('a silence is changed by its id, and a change of its matchers replaces it by a new silence', async () => {
    const rig = await openAlertRig();
    const id = await rig.silence([equal('alertname', 'Down'), equal('job', 'node')]);
    const other = await rig.silence([equal('alertname', 'Down'), equal('job', 'node')], { comment: 'other' });
    // The order of the matchers does not matter.
    const same = [equal('job', 'node'), equal('alertname', 'Down')];
    expect(await rig.silence(same, { id, comment: 'longer', endsAt: rig.at(7200) })).toBe(id);
    expect((await rig.silences()).map(({ comment }) => comment).toSorted()).toEqual(['longer', 'other']);
    const moved = await rig.silence([equal('alertname', 'Slow')], { id });
    expect(moved).toMatch(UUID);
    expect((await rig.silences()).map((silence) => silence.id).toSorted()).toEqual([moved, other].toSorted());
    await expect(rig.silence(same, { id })).rejects.toThrow('there is no silence');
  });

  test('a silence created by the console or monctl is shown with equivalent matchers, which an extension keeps', async () => {
    const rig = await openAlertRig();
    const entries = [{ subscription: 'client:web-1' }, { subscription: 'linux', check: 'disk' }, { check: 'cpu' }];
    for (const entry of entries) await rig.ask('POST', '/silenced', { ...entry, expire: 600, expire_on_resolve: true });
    const shown = await rig.silences();
    expect(shown.map(({ matchers }) => matchers)).toEqual([
      [equal('alertname', 'cpu')],
      [equal('instance', 'web-1')],
      [equal('subscription', 'linux'), equal('alertname', 'disk')],
    ]);
    for (const { id, matchers } of shown) expect(await rig.silence(matchers, { id, endsAt: rig.at(7200) })).toBe(id);
    expect((await rig.ask('GET', '/silenced')).body).toMatchObject([
      { id: '*:cpu', expire: 7200, expire_on_resolve: true },
      { id: 'client:web-1:*', expire: 7200 },
      { id: 'linux:disk', expire: 7200 },
    ]);
  });

  test('a silence of the Alertmanager API can be read and expired over the other APIs by its id', async () => {
    const rig = await openAlertRig();
    const id = await rig.silence([equal('alertname', 'Down')]);
    expect((await rig.ask('GET', `/silenced/ids/${id}`)).body).toMatchObject({ id, subscription: null, check: null });
    const { body } = await rig.ask('GET', `/api/mon/v1/silenced/${id}`);
    expect(body).toMatchObject({ id, selector: '{alertname="Down"}' });
    expect((await rig.ask('POST', '/silenced/clear', { id })).status).toBe(204);
    expect(await rig.silences()).toEqual([]);
  });

  test('a bulk restore restores a silence under its own id, beside a silence with the same matchers', async () => {
    const rig = await openAlertRig();
    const ids = [await rig.silence([equal('alertname', 'Down')]), await rig.silence([equal('alertname', 'Down')])];
    const entryOf = async (id: string) => (await rig.ask('GET', `/api/mon/v1/silenced/${id}`)).body as object;
    const entries = await Promise.all(ids.map(entryOf));
    for (const id of ids) await rig.ask('DELETE', `/api/v2/silence/${id}`);
    const operations = entries.map((entry) => ({ op: 'restore', entry, if_timestamp: null }));
    expect((await rig.ask('POST', '/api/mon/v1/bulk', { operations })).status).toBe(200);
    expect((await rig.silences()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test('a silence stored by an earlier version keeps its meaning and can be changed by its id', async () => {
    const rig = await openAlertRig();
    const entryOf = (matchers: readonly object[], parts: object) => ({
      subscription: null,
      check: null,
      reason: 'old',
      creator: 'ada',
      begin: null,
      expire_on_resolve: false,
      timestamp: Math.floor(rig.clock.now() / 1000),
      expire_at: Math.floor(rig.clock.now() / 1000) + 3600,
      annotations: { 'alertmanager/matchers': JSON.stringify(matchers) },
      ...parts,
    });
    const [name, port] = [equal('alertname', 'Down'), equal('instance', 'web-1:9100')];
    const job = [equal('alertname', 'Slow'), equal('job', 'a')];
    const selector = '(check.metadata.labels.alertname="Slow") (check.metadata.labels.job="a")';
    const entries = [
      entryOf([name, port], { subscription: 'client:web-1', check: 'Down' }),
      entryOf(job, { selector }),
    ];
    const operations = entries.map((entry) => ({ op: 'restore', entry, if_timestamp: null }));
    expect((await rig.ask('POST', '/api/mon/v1/bulk', { operations })).status).toBe(200);
    await rig.restart();
    await rig.send(
      { alertname: 'Down', instance: 'web-1:9100' },
      { alertname: 'Slow', job: 'a' },
      { alertname: 'Slow', job: 'b' },
    );
    expect(await labelsOf(rig, 'active')).toEqual([{ alertname: 'Slow', job: 'b' }]);
    const shown = await rig.silences();
    expect(shown.map(({ matchers }) => matchers)).toEqual([[name, port], job]);
    for (const { id, matchers } of shown) expect(await rig.silence(matchers, { id, endsAt: rig.at(7200) })).toBe(id);
    expect(await labelsOf(rig, 'active')).toHaveLength(1);
  });

  test('the matchers of a silence may use the labels that the settings map to client, check and severity', async () => {
    const naming = { client: ['host'], check: 'rule', severity: 'level' };
    const rig = await openAlertRig({ alerts: naming });
    await rig.ask('POST', '/results', { source: 'web-1', name: 'disk', output: '', status: 1 });
    await rig.silence([equal('host', 'web-1'), equal('rule', 'disk'), equal('level', 'warning')]);
    expect(await labelsOf(rig, 'suppressed')).toEqual([{ host: 'web-1', rule: 'disk', level: 'warning' }]);
    await rig.restart({});
    expect(await labelsOf(rig, 'active')).toHaveLength(1);
  });

  test.each([
    [{ endsAt: '2000-01-01T00:00:00Z' }, /^endsAt must be in the future$/],
    [{ startsAt: '2999-01-01T00:00:00Z' }, /^endsAt must be after startsAt$/],
    [{ matchers: [pattern('job', 'a(?=b)')] }, /^matchers: the pattern of job at character 2 has a group that RE2/],
    [{ matchers: [pattern('job', 'a{600}')] }, /^matchers: the pattern of job at character 1 is too large/],
    [{ matchers: [pattern('job', String.raw`(a)\1`)] }, /which RE2 does not know/],
    [{ matchers: [unequal('alertname', 'Down')] }, /^matchers: at least one matcher must not match the empty value/],
    [{ matchers: [pattern('alertname', '.*')] }, /^matchers: at least one matcher must not match the empty value/],
    [{ matchers: [] }, /^matchers: /],
    [{ id: 'no-such', matchers: [equal('a', 'b')] }, /^there is no silence no-such/],
  ])('a silence with the attributes %j is rejected', async (over, message) => {
    const rig = await openAlertRig();
    const silence = {
      matchers: [equal('a', 'b')],
      startsAt: rig.at(0),
      endsAt: rig.at(60),
      createdBy: '',
      comment: '',
    };
    const { status, body } = await rig.ask('POST', '/api/v2/silences', { ...silence, ...over });
    expect(status).toBe('id' in over ? 404 : 400);
    expect(body).toMatch(message);
  });

  test('a silence of the Alertmanager API may not last longer than the policy allows', async () => {
    const rig = await openAlertRig({ 'silence-policy': { 'max-expire': 600 } });
    await expect(rig.silence([equal('a', 'b')], { endsAt: rig.at(601) })).rejects.toThrow('it must end within 10m');
    expect(await rig.silence([equal('a', 'b')], { endsAt: rig.at(600) })).toMatch(UUID);
  });
});

async function eventNames(
  rig: AlertRig,
  isWanted: (event: { readonly silenced: boolean }) => boolean = () => true,
): Promise<readonly string[]> {
  const { body } = await rig.ask('GET', '/events');
  type Listed = {
    readonly client: { readonly name: string };
    readonly check: { readonly name: string };
    readonly silenced: boolean;
  };
  return (body as readonly Listed[]).filter(isWanted).map(({ client, check }) => `${client.name}/${check.name}`);
}
