import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const nothing = (name: string, meant: string): string =>
  `uses ${name}, which has no value unless the data contains an attribute of that name: did you mean ${meant}?`;

const FILTERS = '/namespaces/default/filters';
const CHECKS = '/namespaces/default/checks';

const filter = (name: string, ...expressions: readonly string[]): object => ({
  metadata: { name },
  action: 'allow',
  expressions,
});
const proxies = (name: string, expression: string): object => ({
  metadata: { name },
  command: 'snmp',
  interval: 60,
  proxy_requests: { entity_attributes: [expression] },
});

const warningOf = async (answer: ReturnType<V2Peer['put']>): Promise<[number, unknown, string | null]> => {
  const { status, body, headers } = await answer;
  return [status, body, headers.get('warning')];
};

test('a configuration whose expression names an unknown attribute gets a warning', async () => {
  const file = join(await tempDir(), 'a.json');
  const proxy_requests = { client_attributes: { any: 'thing' }, entity_attributes: ["entity.lables.x == 'a'"] };
  await writeFile(
    file,
    JSON.stringify({
      checks: { snmp: { command: 'snmp', subscribers: ['a'], interval: 60, proxy_requests } },
      filters: {
        right: { attributes: { client: { environment: 'production' }, occurrences: 1 } },
        wrong: { attributes: { chek: { status: 2 }, occurrences: "eval: value == ':::actoin:::'" } },
      },
    }),
  );
  const { warnings, filters } = await loadConfig({ file, directories: [], env: {} });
  expect(warnings).toEqual([
    `${file}: checks.snmp.proxy_requests.entity_attributes: the expression "entity.lables.x == 'a'" ` +
      nothing('entity.lables', 'entity.labels'),
    `${file}: filters.wrong.attributes.chek.status: ${nothing('chek', 'check')}`,
    `${file}: filters.wrong.attributes.occurrences: ${nothing('actoin', 'action')}`,
  ]);
  expect([...filters.keys()]).toEqual(['right', 'wrong']);
});

test('storing a definition with an unknown attribute in an expression returns a warning, logged at each start', async () => {
  const dir = await tempDir();
  const first = await openBackend({ dir, log: new RecordedLog() });
  const v2 = new V2Peer(first.url);
  const wrong = filter('wrong', 'event.chek.status == 2', "event.entity.lables['ü'] == '☃'");
  const texts = [
    `the expression "event.chek.status == 2" ${nothing('event.chek', 'event.check')}`,
    `the expression "event.entity.lables['ü'] == '☃'" ${nothing('event.entity.lables', 'event.entity.labels')}`,
  ];
  const ofCheck = `the expression "entity.lables.x == 'a'" ${nothing('entity.lables', 'entity.labels')}`;
  const header = texts.map((text) => `299 - ${ascii(text)}`).join(', ');

  // The object is stored anyway, and the body is the same as without the warning.
  expect(await warningOf(v2.post(FILTERS, wrong))).toEqual([201, undefined, header]);
  expect(await warningOf(v2.put(`${FILTERS}/wrong`, wrong))).toEqual([201, undefined, header]);
  expect((await v2.get(`${FILTERS}/wrong`)).body).toMatchObject(wrong);
  expect(await warningOf(v2.put(`${FILTERS}/right`, filter('right', 'event.check.status == 2')))).toEqual([
    201,
    undefined,
    null,
  ]);
  const patched = await v2.patch(`${FILTERS}/right`, { expressions: ['event.chek.status == 2'] });
  expect([patched.status, patched.headers.get('warning')]).toEqual([200, `299 - ${ascii(texts[0] ?? '')}`]);
  await v2.patch(`${FILTERS}/right`, { expressions: ['event.check.status == 2'] });
  expect(await warningOf(v2.put(`${CHECKS}/snmp`, proxies('snmp', "entity.lables.x == 'a'")))).toEqual([
    201,
    undefined,
    `299 - ${ascii(ofCheck)}`,
  ]);
  await first.stop();

  const log = new RecordedLog();
  await (await openBackend({ dir, log })).stop();
  expect(log.records.filter(({ message }) => message.includes('which has no value'))).toEqual([
    { level: 'warn', message: ofCheck, fields: { namespace: 'default', check: 'snmp' } },
    ...texts.map((message) => ({ level: 'warn', message, fields: { namespace: 'default', filter: 'wrong' } })),
  ]);
});

function ascii(text: string): string {
  return JSON.stringify(text).replaceAll('ü', '\\u00fc').replaceAll('☃', '\\u2603');
}
