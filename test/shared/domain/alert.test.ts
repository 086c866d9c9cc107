import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertPlace, alertResult } from '../../../shared/domain/alert.ts';
import { silencePlan } from '../../../shared/domain/alert-silence.ts';
import { alertSettingsSchema, postedAlertSchema } from '../../../shared/schemas/alert.ts';
import { resultSchema } from '../../../shared/schemas/result.ts';

const SETTINGS = alertSettingsSchema.parse({});
const NOW_MS = Date.UTC(2026, 0, 1);

function withoutEmpty(labels: object): string {
  return Object.entries(labels)
    .filter(([, text]) => text !== '')
    .map((pair) => JSON.stringify(pair))
    .toSorted((x, y) => (x < y ? -1 : 1))
    .join();
}

const resultOf = (alert: object) => {
  const parsed = postedAlertSchema.parse({ labels: { alertname: 'Down', instance: 'web-1' }, ...alert });
  const place = alertPlace(parsed.labels, SETTINGS) ?? { client: '', check: '' };
  return alertResult(parsed, place, SETTINGS, NOW_MS);
};

const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true });

describe('the place of an alert', () => {
  test.each([
    [{ alertname: 'Down' }, 'prometheus', 'Down'],
    [{ alertname: 'Down', instance: 'web-1' }, 'web-1', 'Down'],
    [{ alertname: 'Down', instance: 'web-1', severity: 'critical' }, 'web-1', 'Down..critical'],
    [{ alertname: 'Down', client: 'db-1', instance: 'web-1' }, 'db-1', 'Down..#'],
    [{ alertname: 'Down', instance: 'web-1:9100' }, 'web-1', 'Down..#'],
    [{ alertname: 'Down', instance: 'https://web-1.example:8443/a b' }, 'web-1.example-a-b', 'Down..#'],
    [{ alertname: 'Down', instance: '[::1]:9100' }, '1', 'Down..#'],
    [{ alertname: 'Down', instance: '' }, 'prometheus', 'Down'],
    [{ alertname: 'Disk .. full' }, 'prometheus', 'Disk-.-full..#'],
    [{ alertname: '...' }, undefined, undefined],
    [{ instance: 'web-1' }, undefined, undefined],
  ])('%j is at %s/%s', (labels: Record<string, string>, client, check) => {
    const place = alertPlace(labels, SETTINGS);
    expect(place?.client).toBe(client);
    expect(place?.check.replace(/[0-9a-f]{8}$/, '#')).toBe(check);
  });

  test('follows settings', () => {
    const settings = alertSettingsSchema.parse({
      client: ['node', 'host'],
      check: 'rule',
      severity: 'level',
      ignore: ['replica'],
    });
    const labels = { rule: 'Slow', node: 'n1', level: 'page', replica: 'a' };
    expect(alertPlace(labels, settings)).toEqual({ client: 'n1', check: 'Slow..page' });
  });

  test('is another one whenever labels differ, and one that a result can have', () => {
    const value = fc.oneof(
      fc.constantFrom('', 'a', 'prometheus', 'web-1', 'web-1:9100', 'web-1:9200', 'critical', '..', 'a b', 'a-b'),
      fc.string(),
    );
    const labelSet = fc.dictionary(
      fc.constantFrom('alertname', 'instance', 'severity', 'job', 'device', 'client'),
      value,
    );
    fc.assert(
      fc.property(labelSet, labelSet, (one, other) => {
        const [a, b] = [alertPlace(one, SETTINGS), alertPlace(other, SETTINGS)];
        if (a === undefined || b === undefined) return;
        expect(resultSchema.safeParse({ name: a.check, source: a.client, output: '' }).success).toBe(true);
        const isSame = a.client === b.client && a.check === b.check;
        expect(isSame).toBe(withoutEmpty(one) === withoutEmpty(other));
      }),
      {
        examples: [
          [
            { alertname: 'a', client: 'b' },
            { alertname: 'a', instance: 'b' },
          ],
          [{ alertname: 'a' }, { alertname: 'a', instance: 'prometheus' }],
        ],
      },
    );
  });
});

describe('the result of an alert', () => {
  test('has labels, annotations and where it is from', () => {
    const annotations = { summary: 'web-1 is down', description: 'for a minute', runbook: 'https://x' };
    const at = { startsAt: '2025-12-31T23:59:00Z', endsAt: '2026-01-01T00:03:59.5Z' };
    expect(resultOf({ annotations, generatorURL: 'http://prometheus/graph', ...at })).toEqual({
      name: 'Down',
      source: 'web-1',
      status: 2,
      output: 'web-1 is down\nfor a minute',
      ttl: 240,
      ttl_resolves: true,
      metadata: { labels: { alertname: 'Down', instance: 'web-1' }, annotations },
      alert: {
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        starts_at: NOW_MS / 1000 - 60,
        generator_url: 'http://prometheus/graph',
      },
    });
  });

  test.each([
    ['critical', 2],
    ['Warning', 1],
    ['info', 1],
    ['none', 0],
    ['whatever', 3],
    ['constructor', 3],
    ['', 2],
  ])('severity %j is status %i', (severity, status) => {
    expect(resultOf({ labels: { alertname: 'Down', severity } }).status).toBe(status);
  });

  test.each([
    ['2026-01-01T00:00:00Z', { status: 0, ttl: undefined }],
    ['2026-01-01T00:00:01Z', { status: 2, ttl: 1 }],
    // What programs in Go write for no time at all.
    ['0001-01-01T00:00:00.000Z', { status: 2, ttl: 300 }],
    [undefined, { status: 2, ttl: 300 }],
  ])('ends at %s: %j', (endsAt, { status, ttl }) => {
    const result = resultOf({ endsAt });
    expect([result.status, result.ttl]).toEqual([status, ttl]);
  });
});

describe('a silence', () => {
  const plan = (...matchers: ReturnType<typeof equal>[]) =>
    silencePlan(matchers, SETTINGS, ({ check }) => check === 'Full..ea3f0d2c');

  test.each([
    [[equal('alertname', 'Down')], { subscription: null, check: 'Down' }],
    [[equal('alertname', 'Down'), equal('severity', 'page')], { subscription: null, check: 'Down..page' }],
    [[equal('instance', 'web-1:9100')], { subscription: 'client:web-1', check: null }],
    [[equal('instance', 'web-1'), equal('alertname', 'Down')], { subscription: 'client:web-1', check: 'Down' }],
    [[equal('subscription', 'linux'), equal('alertname', 'Down')], { subscription: 'linux', check: 'Down' }],
  ])('of %j is about %j', (matchers, place) => {
    expect(plan(...matchers)).toEqual({ kind: 'place', ...place });
  });

  test.each([
    [[{ ...equal('alertname', 'Do[a-z]+'), isRegex: true }], 'the pattern of alertname is more than texts'],
    [[{ ...equal('alertname', 'a*'), isRegex: true }], 'the pattern of alertname is more than texts'],
    [[{ ...equal('alertname', 'Down'), isEqual: false }], 'a matcher must ask for a label that is there'],
    [[{ ...equal('alertname', '.*'), isRegex: true }], 'a matcher must ask for a label that is there'],
    [[equal('job', 'node'), { ...equal('secret', 'x'), isEqual: false }], 'is kept secret'],
    [[equal('severity', 'page')], 'severity needs alertname'],
    [[equal('alertname', 'a'), equal('alertname', 'b')], 'a label can have one value only'],
    [[equal('alertname', '')], 'no label names a client or a check'],
    [[equal('subscription', 'linux'), equal('instance', 'a')], 'beside subscription only alertname is possible'],
  ])('of %j is refused: %s', (matchers, message) => {
    expect(plan(...matchers)).toMatchObject({ kind: 'problem', message: expect.stringContaining(message) });
  });

  test.each([
    [[equal('job', 'node')], 'job=node'],
    [[equal('alertname', 'Down'), equal('job', 'node')], 'alertname=Down job=node'],
    [[{ ...equal('alertname', 'Do.*'), isRegex: true }], 'alertname~Do*'],
    [[{ ...equal('instance', '(web|db)-.+:91.0'), isRegex: true }], undefined],
    [[{ ...equal('instance', 'web-1|db\\.1|c.*'), isRegex: true }], 'instance=web-1 or instance=db.1 or instance~c*'],
    [[equal('job', 'node'), equal('env', '')], 'job=node !env~*'],
  ])('of %j is the search %s', (matchers, expected) => {
    const found = plan(...matchers);
    const text = found.kind === 'selector' ? found.selector.replaceAll('check.metadata.labels.', '') : undefined;
    expect(text?.replaceAll(/[()"]/g, '')).toBe(expected);
  });

  test('of what a label is not is the search without it, whatever is in the label', () => {
    expect(plan(equal('job', 'n"1'), { ...equal('env', 'prod'), isEqual: false })).toEqual({
      kind: 'selector',
      selector: String.raw`(check.metadata.labels.job="n\"1") !(check.metadata.labels.env="prod")`,
    });
  });

  test('of all labels of an alert is about that one alone', () => {
    const labels = { alertname: 'Full', instance: 'web-1', device: 'sda' };
    const place = alertPlace(labels, SETTINGS);
    const matchers = Object.entries(labels).map(([name, value]) => equal(name, value));
    expect(silencePlan(matchers, SETTINGS, ({ check }) => check === place?.check)).toEqual({
      kind: 'place',
      subscription: 'client:web-1',
      check: place?.check,
    });
  });
});
