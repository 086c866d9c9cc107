import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const RESULT = { source: 'web-1', name: 'disk', output: 'full', status: 2, handlers: ['pager', 'audit', 'nope'] };

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({
    settings: { handlers: { pager: PIPE, audit: { ...PIPE, handle_silenced: true } } },
    // The clock of the backend starts four minutes before `NOW`.
    clock: new ManualClock((NOW - 240) * 1000),
    batcher: { batchLimit: 1 },
  });
  api = openApiClient({ backend: backend.url, env: {} });
});
afterAll(() => backend[Symbol.asyncDispose]());

const monctl = (line: readonly string[], input = ''): Promise<MonctlRun> =>
  runMonctl(line, { MON_BACKEND: backend.url }, { input });

test('monctl simulate reads a result from a file or standard input, in JSON or YAML', async () => {
  const text = [
    'client  web-1',
    'check   disk',
    'event   CRIT (2), create, occurrences 1, not silenced',
    'reason  an event would open: pager, audit handle it, nope does not',
    '',
    'HANDLER  VERDICT          REASON',
    'pager    handle           all conditions are met',
    'audit    handle           all conditions are met',
    'nope     unknown_handler  no handler with this name is defined',
    '',
  ].join('\n');
  expect(await monctl(['simulate', '-'], JSON.stringify(RESULT))).toEqual({ code: 0, stdout: text, stderr: '' });
  const file = join(await tempDir(), 'result.yml');
  await writeFile(file, 'source: web-1\nname: disk\noutput: full\nstatus: 2\nhandlers: [pager, audit, nope]\n');
  expect(await monctl(['simulate', file])).toEqual({ code: 0, stdout: text, stderr: '' });
  const { stdout } = await monctl(['simulate', '-', '--output', 'json'], JSON.stringify({ ...RESULT, status: 0 }));
  expect(JSON.parse(stdout)).toMatchObject({ transition: 'none', event: null, handlers: [] });
  expect((await monctl(['simulate', '-'], JSON.stringify({ ...RESULT, status: 0 }))).stdout).toMatch(
    /^event {3}none\nreason {2}nothing to handle: the result is OK, and there is no event\n$/m,
  );
  expect(await api.events()).toEqual([]);
});

test.each<{ name: string; line: readonly string[]; input?: string; code: number; stderr: RegExp }>([
  {
    name: 'a missing file',
    line: ['simulate', '/does/not/exist'],
    code: 2,
    stderr: /\/does\/not\/exist cannot be read/,
  },
  { name: 'a result without an output', line: ['simulate', '-'], input: '{"name": "disk"}', code: 2, stderr: /output/ },
  { name: 'a list instead of a result', line: ['simulate', '-'], input: '[]', code: 2, stderr: /object/ },
  {
    name: 'an unknown client and check',
    line: ['event', 'explain', 'web-9', 'disk'],
    code: 3,
    stderr: /no event and no result/,
  },
])('monctl simulate or event explain reports an invalid input: $name', async ({ line, input, code, stderr }) => {
  const run = await monctl(line, input);
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr).toMatch(stderr);
});

test('monctl event explain first says who was notified, and shows the last run of each handler', async () => {
  await api.silence({ check: 'disk' });
  await api.submitResult(RESULT);
  const { stdout } = await monctl(['event', 'explain', 'web-1', 'disk']);
  const [about, handlers] = stdout.split('\n\n');
  expect(about?.split('\n')).toEqual([
    expect.stringMatching(/^answer {2}(?:notified|pending): audit 4m ago; again with the next result$/),
    'client  web-1',
    'check   disk',
    'event   CRIT (2), create, occurrences 1, silenced by *:disk',
    'now     audit handles it, pager, nope do not',
  ]);
  const rows = handlers
    ?.trimEnd()
    .split('\n')
    .map((row) => row.replaceAll(/ {2,}/g, '|'));
  expect(rows).toEqual([
    'HANDLER|VERDICT|LAST RUN|REASON',
    'pager|silenced|silenced by *:disk, and the handler does not set handle_silenced: true',
    expect.stringMatching(/^audit\|handle\|(?:queued|running|delivered) 4m ago\|all conditions are met$/),
    'nope|unknown_handler|no handler with this name is defined',
  ]);
  const json = await monctl(['event', 'explain', 'web-1', 'disk', '--output', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    event: { silenced_by: ['*:disk'] },
    handlers: [{ handler: 'pager', verdict: 'silenced', silenced_by: ['*:disk'], delivery: null }, {}, {}],
  });
});
