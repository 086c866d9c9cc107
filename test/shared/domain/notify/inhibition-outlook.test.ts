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
  { name: 'one that begins to', event: critical, now: [], outlook: ['disk starts 0'] },
  { name: 'one that goes on', event: critical, now: [['disk', 3]], outlook: ['disk continues 3'] },
  { name: 'one that is no longer what the rule finds', event: warning, now: [['disk', 3]], outlook: ['disk stops 3'] },
  { name: 'one that ends', event: undefined, now: [['disk', 1]], outlook: ['disk stops 1'] },
  { name: 'one that stays as it is', event: 'same', now: [['disk', 2]], outlook: ['disk continues 2'] },
  { name: 'one that never did', event: warning, now: [], outlook: [] },
  { name: 'none', event: undefined, now: [], outlook: [] },
])('what becomes of those that an event keeps quiet: $name', ({ event, now, outlook }) => {
  const found = predictInhibitions(RULES, 'default', event, new Map(now));
  expect(found.map(({ rule, change, inhibited }) => `${rule} ${change} ${String(inhibited)}`)).toEqual(outlook);
});

test('the outlook of an inhibition names the attributes in common', () => {
  expect(predictInhibitions(RULES, 'default', critical, new Map())).toMatchObject([{ equal: ['client.rack'] }]);
});
