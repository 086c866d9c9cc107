import { expect, test } from 'vitest';
import { buildInhibitionRows } from '../../../../../daemon/backend/notify/inhibitions/queries.ts';
import { inhibitorsOf } from '../../../../../daemon/backend/model/notify/inhibitions/state.ts';
import { Registry } from '../../../../../daemon/backend/model/registry/registry.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';

const CLIENTS = 500;
const fingerprints = Array.from({ length: 200 }, (_, at) => `mark-${String(at)}`);

const ruleOf = (fingerprint: string): Parameters<typeof buildInhibitionRows>[0][number] => ({
  name: fingerprint,
  fingerprint,
  source: { text: 'check=disk' },
  target: { text: 'check=load' },
  equal: [],
});

test('evaluating 200 inhibition rules does not block the event loop', async () => {
  const namespace = new Registry(TABLES).namespace(DEFAULT_NAMESPACE);
  for (let at = 0; at < CLIENTS; at++) {
    for (const fingerprint of fingerprints) {
      inhibitorsOf(namespace).put({
        rule: fingerprint,
        fingerprint,
        key: '[]',
        client: `web-${String(at)}`,
        check: 'disk',
      });
    }
  }
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const rows = await buildInhibitionRows([...fingerprints, 'of none'].map(ruleOf), [namespace]);
  isOver = true;
  expect(turns).toBeGreaterThan(1);
  expect(rows.at(-1)).toMatchObject({ name: 'of none', inhibited: 0, inhibitors: [] });
  expect(rows[0]?.inhibitors).toHaveLength(100);
  expect(rows[0]?.inhibitors[0]).toEqual({ namespace: 'default', client: 'web-0', check: 'disk', inhibited: 0 });
});
