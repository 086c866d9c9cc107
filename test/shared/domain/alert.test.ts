import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertKey, alertResult } from '../../../shared/domain/alert.ts';
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

const withoutDigits = (name?: string) => name?.replaceAll(/[0-9a-f]{8}(?=$|\.)/g, '#');

const resultOf = (alert: object) => {
  const parsed = postedAlertSchema.parse({ labels: { alertname: 'Down', instance: 'web-1' }, ...alert });
  const place = alertKey(parsed.labels, SETTINGS) ?? { client: '', check: '' };
  return alertResult(parsed, place, SETTINGS, NOW_MS);
};

describe('the client and check of an alert', () => {
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
    [{ alertname: '...' }, 'prometheus', 'alert..#..#'],
    [{ alertname: '磁盘已满', severity: 'critical' }, 'prometheus', 'alert..#..critical..#'],
    [{ alertname: 'Überlast', severity: '重要' }, 'prometheus', 'berlast..#..severity..#..#'],
    [{ alertname: 'Down', instance: '数据库' }, 'instance-#', 'Down..#'],
    [{ alertname: 'Down', instance: '数据库-1:9100' }, '1-#', 'Down..#'],
    [{ instance: 'web-1' }, undefined, undefined],
  ])('the alert %j becomes the client and check %s/%s', (labels: Record<string, string>, client, check) => {
    const place = alertKey(labels, SETTINGS);
    expect([withoutDigits(place?.client), withoutDigits(place?.check)]).toEqual([client, check]);
  });

  test('the client and check of an alert follow the settings', () => {
    const settings = alertSettingsSchema.parse({
      client: ['node', 'host'],
      check: 'rule',
      severity: 'level',
      ignore: ['replica'],
    });
    const labels = { rule: 'Slow', node: 'n1', level: 'page', replica: 'a' };
    expect(alertKey(labels, settings)).toEqual({ client: 'n1', check: 'Slow..page' });
  });

  test('alerts with different labels yield different clients or checks, and all names are valid', () => {
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
        const [a, b] = [alertKey(one, SETTINGS), alertKey(other, SETTINGS)];
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
  test('the result of an alert contains the labels, the annotations and the origin of the alert', () => {
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

  test('the result of an alert shows the original text of names that had to be changed', () => {
    const labels = { alertname: '磁盘已满', instance: '数据库:9100' };
    expect(resultOf({ labels }).output).toBe('数据库:9100: 磁盘已满');
    expect(resultOf({ labels, annotations: { summary: 'full' } }).output).toBe('磁盘已满 数据库:9100: full');
    expect(resultOf({ labels, annotations: { summary: '数据库:9100: 磁盘已满' } }).output).toBe(
      '数据库:9100: 磁盘已满',
    );
  });

  test('the result of an alert truncates long texts and marks the truncation', () => {
    const labels = { alertname: 'Down', query: 'é'.repeat(5000) };
    const result = resultOf({ labels, annotations: { long: '😀'.repeat(40_000) }, generatorURL: 'x'.repeat(9000) });
    const { metadata, alert } = result as unknown as {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      alert: object;
    };
    expect(metadata.labels['query']).toMatch(/^é{4095}…$/);
    expect(metadata.annotations['long']).toMatch(/^(?:😀){32767}…$/u);
    expect(alert).not.toHaveProperty('generator_url');
  });

  test.each([
    ['critical', 2],
    ['Warning', 1],
    ['info', 1],
    ['none', 0],
    ['whatever', 3],
    ['constructor', 3],
    ['', 2],
  ])('an alert of severity %j yields a result with status %i', (severity, status) => {
    expect(resultOf({ labels: { alertname: 'Down', severity } }).status).toBe(status);
  });

  test.each([
    ['2026-01-01T00:00:00Z', { status: 0, ttl: undefined }],
    ['2026-01-01T00:00:01Z', { status: 2, ttl: 1 }],
    // Go programs write this value for a time that is not set.
    ['0001-01-01T00:00:00.000Z', { status: 2, ttl: 300 }],
    [undefined, { status: 2, ttl: 300 }],
  ])('an alert that ends at %s yields a result with %j', (endsAt, { status, ttl }) => {
    const result = resultOf({ endsAt });
    expect([result.status, result.ttl]).toEqual([status, ttl]);
  });
});
