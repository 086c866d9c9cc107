import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LabelMatcher } from '../../../../shared/domain/label-matchers.ts';
import { openAlertRig, type AlertRig } from '../../../support/alert-rig.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

/**
 * A small implementation of Alertmanager's rules: a missing label is empty, and a pattern must match the whole value.
 */
function isCovered(labels: Readonly<Record<string, string>>, matchers: readonly LabelMatcher[]): boolean {
  return matchers.every(({ name, value, isRegex, isEqual }) => {
    const text = labels[name] ?? '';
    return (isRegex ? new RegExp(`^(?:${value})$`, 'u').test(text) : text === value) === isEqual;
  });
}

const isAccepted = (matchers: readonly LabelMatcher[]): boolean => !isCovered({}, matchers);

// Label names and values in several languages: some normalize to the same text, others occur in native events.
const NAMES = ['alertname', 'instance', 'severity', 'job', 'service.name', '区域'];
const VALUES = [
  'CPU > 90',
  'CPU < 90',
  'cpu-90',
  'web-1',
  'web-1:9100',
  'Web-1',
  '磁盘',
  '网络',
  'critical',
  'warning',
  'a b',
  '',
];
const PATTERNS = [
  '.*',
  '.+',
  'web-[0-9]',
  'web-1(:9100)?',
  'CPU . 90',
  '(critical|warning)',
  '.{2}',
  '磁盘|网络|',
  '[^w].*',
  '',
];

const labelSet = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...NAMES.slice(1)), fc.constantFrom(...VALUES), { maxKeys: 4 }),
    fc.constantFrom(...VALUES.slice(0, -1)),
  )
  .map(([labels, alertname]) => Object.assign(labels, { alertname }));
const result = fc.record({
  source: fc.constantFrom('web-1', 'db-1'),
  name: fc.constantFrom('disk', 'cpu-90'),
  status: fc.constantFrom(1, 2, 3),
  labels: fc.dictionary(fc.constantFrom('job', 'service.name', 'host', '区域'), fc.constantFrom(...VALUES), {
    maxKeys: 2,
  }),
});
const matcher: fc.Arbitrary<LabelMatcher> = fc
  .tuple(fc.constantFrom(...NAMES), fc.boolean(), fc.boolean())
  .chain(([name, isRegex, isEqual]) =>
    fc.constantFrom(...(isRegex ? PATTERNS : VALUES)).map((value) => ({ name, value, isRegex, isEqual })),
  );
const story = fc.record({
  alerts: fc.array(labelSet, { minLength: 1, maxLength: 6 }),
  results: fc.array(result, { maxLength: 4 }),
  later: fc.array(result, { maxLength: 3 }),
  silences: fc.array(fc.array(matcher, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
});

test('alerts, previews, events and handlers agree with Alertmanager about the events that silences cover', async () => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(story, async ({ alerts, results, later, silences }) => {
      const rig = await openAlertRig();
      const report = async (all: readonly (typeof results)[number][]): Promise<void> => {
        for (const { labels, ...rest } of all)
          await rig.ask('POST', '/results', { ...rest, output: 'x', metadata: { labels } });
      };
      await rig.send(...alerts);
      await report(results);
      const made: (readonly LabelMatcher[])[] = [];
      for (const [at, matchers] of silences.entries()) {
        if (at === 1) await report(later);
        if (!isAccepted(matchers)) continue;
        await rig.silence(matchers);
        made.push(matchers);
      }
      await expectAgreement(rig, made);
      await rig.restart();
      await expectAgreement(rig, made);
      await rig.forgetHandled();
      const expected: string[] = [];
      for (const one of later) {
        await report([one]);
        const event = `${one.source}/${one.name}`;
        const { body } = await rig.ask('GET', `/events/${event}`);
        if (!(body as { readonly silenced: boolean }).silenced) expected.push(event);
      }
      await rig.expectHandled(...expected);
      await expectAgreement(rig, made);
    }),
    { numRuns: propertyRuns(5) },
  );
});

async function expectAgreement(rig: AlertRig, silences: readonly (readonly LabelMatcher[])[]): Promise<void> {
  const alerts = await rig.alerts();
  for (const { labels, status } of alerts) {
    const isSuppressed = silences.some((matchers) => isCovered(labels, matchers));
    expect({ labels, state: status.state }).toEqual({ labels, state: isSuppressed ? 'suppressed' : 'active' });
  }
  for (const matchers of silences) {
    const query = matchers.map((one) => `filter=${encodeURIComponent(filterText(one))}`).join('&');
    const preview = await rig.alerts(query);
    expect(preview.map(({ labels }) => labels)).toEqual(
      alerts.filter(({ labels }) => isCovered(labels, matchers)).map(({ labels }) => labels),
    );
  }
  const { body } = await rig.ask('GET', '/events');
  const events = body as readonly {
    readonly client: { readonly name: string };
    readonly check: { readonly name: string };
    readonly silenced: boolean;
  }[];
  // Both lists have the same order, so they can be compared entry by entry.
  expect(events.map(({ silenced }) => silenced)).toEqual(alerts.map(({ status }) => status.state === 'suppressed'));
  for (const { client, check, silenced } of events) {
    const { body: verdicts } = await rig.ask('GET', `/api/mon/v1/events/${client.name}/${check.name}/explain`);
    const { handlers } = verdicts as { readonly handlers: readonly { readonly verdict: string }[] };
    expect(handlers.map(({ verdict }) => verdict === 'silenced')).toEqual([silenced]);
  }
}

function filterText({ name, value, isRegex, isEqual }: LabelMatcher): string {
  const sign = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!=';
  return `${JSON.stringify(name)}${sign}${JSON.stringify(value)}`;
}
