import { expect, test } from 'vitest';
import { predictInhibitions } from '../../../../shared/domain/notify/inhibition-outlook.ts';
import { parseInhibitionRule } from '../../../../shared/domain/notify/inhibition-rule.ts';
import { anEvent } from '../../../support/a-job.ts';

const RULES = [
  parseInhibitionRule('disk', { source: 'check=disk status=crit', target: 'check!=disk', equal: ['client.rack'] }),
  parseInhibitionRule('other', { source: 'check=other', target: 'check!=other', equal: [] }),
].flatMap((rule) => ('source' in rule ? [rule] : []));

const critical = anEvent({ client: { name: 'web-1', rack: 'a' }, check: { name: 'disk', status: 2 } });
const warning = anEvent({ client: { name: 'web-1', rack: 'a' }, check: { name: 'disk', status: 1 } });

test.each<{
  name: string;
  event: Parameters<typeof predictInhibitions>[2];
  now: readonly (readonly [string, number])[];
  outlook: readonly string[];
}>([
  { name: 'an event that starts to inhibit others', event: critical, now: [], outlook: ['disk starts 0'] },
  {
    name: 'an event that continues to inhibit others',
    event: critical,
    now: [['disk', 3]],
    outlook: ['disk continues 3'],
  },
  { name: 'an event that the rule no longer matches', event: warning, now: [['disk', 3]], outlook: ['disk stops 3'] },
  { name: 'an event that resolves', event: undefined, now: [['disk', 1]], outlook: ['disk stops 1'] },
  { name: 'an unchanged event', event: 'same', now: [['disk', 2]], outlook: ['disk continues 2'] },
  { name: 'an event that no rule matches', event: warning, now: [], outlook: [] },
  { name: 'a client and check without an event', event: undefined, now: [], outlook: [] },
])('the prediction of inhibited events is right for $name', ({ event, now, outlook }) => {
  const found = predictInhibitions(RULES, 'default', event, new Map(now));
  expect(found.map(({ rule, change, inhibited }) => `${rule} ${change} ${String(inhibited)}`)).toEqual(outlook);
});

test('the prediction of inhibited events names the attributes that both events must share', () => {
  expect(predictInhibitions(RULES, 'default', critical, new Map())).toMatchObject([{ equal: ['client.rack'] }]);
});
