import { expect, test } from 'vitest';
import { RejectedResults } from '../../../../daemon/backend/agents/rejected-results.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

const MORE = 'further rejected check results were not logged individually';

test('only the first rejected results of a client in each minute are logged, further ones are counted', () => {
  const [clock, log] = [new ManualClock(), new RecordedLog()];
  using rejected = new RejectedResults({ clock, log });
  const reject = (client: string, id: number): void => rejected.log({ namespace: 'default', client, id }, 'no name');
  for (let id = 1; id <= 1000; id++) reject('broken', id);
  reject('other', 1);
  expect(log.records).toHaveLength(21);
  expect(log.records.at(-1)).toEqual({
    level: 'error',
    message: 'check result rejected',
    fields: { namespace: 'default', client: 'other', id: 1, reason: 'no name' },
  });
  clock.advance(60_000);
  expect(log.records.at(-1)).toEqual({
    level: 'error',
    message: MORE,
    fields: { rejected: 980, first_clients: ['default/broken'] },
  });
  reject('broken', 1001);
  clock.advance(60_000);
  expect(log.records).toHaveLength(23);
});

test('rejected results of many clients are logged up to a common limit', () => {
  const log = new RecordedLog();
  {
    using rejected = new RejectedResults({ clock: new ManualClock(), log });
    for (let at = 0; at < 10_000; at++) rejected.log({ namespace: 'default', client: `c-${String(at)}` }, 'no name');
  }
  expect(log.records).toHaveLength(501);
  expect(log.records.at(-1)).toMatchObject({ message: MORE, fields: { rejected: 9500 } });
  expect(log.records.at(-1)?.fields['first_clients']).toHaveLength(10);
});

test('the log of a rejected result contains its check and source if the result names them', () => {
  const log = new RecordedLog();
  using rejected = new RejectedResults({ clock: new ManualClock(), log });
  const about = { namespace: 'default', client: 'web-1' };
  for (const check of [{ name: 'ping', source: 'switch-1', status: 'bad' }, { name: 5 }, [], null, 'disk', undefined]) {
    rejected.log(about, 'status: must be a whole number', check);
  }
  expect(log.records.map(({ fields }) => [fields['check'], fields['source']])).toEqual([
    ['ping', 'switch-1'],
    ...Array.from({ length: 5 }, () => [undefined, undefined]),
  ]);
});
