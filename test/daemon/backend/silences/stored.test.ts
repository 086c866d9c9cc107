import { expect, test } from 'vitest';
import { silencedOfStored, storedSilenced } from '../../../../daemon/backend/model/silences/storage.ts';
import { stashOfStored, storedStash } from '../../../../daemon/backend/model/stashes/storage.ts';

test('the stored form of a silence does not change when it is read and written', () => {
  const text =
    '{"id":"*:disk","subscription":null,"check":"disk","reason":"CHG-1","creator":"ada","begin":null,' +
    '"expire_at":1795184718250,"expire_on_resolve":false,"timestamp":1795184658,"lifetime":60,"labels":{"a":"b"}}';
  const entry = silencedOfStored(JSON.parse(text));
  expect(entry).toMatchObject({ id: '*:disk', expireAtMs: 1_795_184_718_250, labels: { a: 'b' } });
  expect(entry).not.toHaveProperty('expire_at');
  expect(JSON.stringify(storedSilenced(entry))).toBe(text);
});

test('the stored form of a stash does not change when it is read and written', () => {
  const text = '{"path":"a/b","content":{"x":1},"expire_at":null}';
  const stash = stashOfStored(JSON.parse(text));
  expect(stash).toEqual({ path: 'a/b', content: { x: 1 }, expireAtMs: null });
  expect(JSON.stringify(storedStash(stash))).toBe(text);
});
