import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  const handlers = {
    // This handler always fails, because the host name does not exist for any resolver.
    pager: { type: 'tcp', socket: { host: 'pager.invalid', port: 4444 } },
    fail: { type: 'pipe', command: 'cat >/dev/null; exit 3' },
  };
  backend = await startBackend({ settings: { handlers } });
  api = openApiClient({ backend: backend.url, env: {} });
});
afterAll(() => backend[Symbol.asyncDispose]());

function monctl(line: readonly string[], options?: Parameters<typeof runMonctl>[2]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url }, options);
}

/** Returns the lines of a table without its header, with columns separated by one bar. */
async function rows(...line: string[]): Promise<string[]> {
  const { stdout } = await monctl(line);
  const lines = stdout.trimEnd().split('\n').slice(1);
  return lines.map((row) => row.trim().replaceAll(/ {2,}/g, '|'));
}

/**
 * Reports a failing check, waits until its notification becomes a dead letter, and returns the id of the dead letter.
 */
async function fail(handler: string, source: string): Promise<string> {
  const known = new Set((await api.deadLetters()).map(({ id }) => id));
  await api.submitResult({ source, name: 'disk', output: 'full', status: 2, handlers: [handler] });
  return await vi.waitFor(async () => {
    const letter = (await api.deadLetters()).find(({ id }) => !known.has(id));
    expect(letter).toBeDefined();
    return String(letter?.id);
  });
}

test('monctl lists, shows, retries and drops dead letters', async () => {
  const [first, second] = [await fail('fail', 'web-1'), await fail('fail', 'web-2')];
  expect(await rows('dead-letter', 'list')).toEqual([
    expect.stringMatching(new RegExp(`^${first}\\|fail\\|web-1\\|disk\\|\\w+\\|1\\|\\S`)),
    expect.stringMatching(new RegExp(`^${second}\\|fail\\|web-2\\|disk\\|`)),
  ]);
  expect(await rows('dead-letter', 'list', '--handler', 'pager')).toEqual([]);

  const { stdout } = await monctl(['dead-letter', 'info', first]);
  expect(stdout).toMatch(/^id {8}\d+\nhandler {3}fail\nclient {4}web-1\ncheck {5}disk\n/);
  expect(stdout).toContain('output: full');

  expect(await monctl(['dead-letter', 'retry', first])).toEqual({
    code: 0,
    stdout: '1 dead letter will be retried\n',
    stderr: '',
  });
  // The retry fails again, so this dead letter is now the newest.
  await vi.waitFor(async () => expect((await api.deadLetters()).map(({ id }) => String(id))).toEqual([second, first]));
  expect((await monctl(['dead-letter', 'drop', second])).stdout).toBe('dropped 1 dead letter\n');
  expect((await monctl(['dead-letter', 'drop', '--handler', 'fail'])).stdout).toBe('dropped 1 dead letter\n');
  expect((await monctl(['dead-letter', 'drop', '--all'])).stdout).toBe('dropped no dead letters\n');
});

test('monctl dead-letter drop has a dry run, asks first, and drops nothing after the answer no', async () => {
  const id = await fail('fail', 'web-3');
  expect(await monctl(['dead-letter', 'drop', '--all', '--dry-run'])).toEqual({
    code: 0,
    stdout:
      `would send POST ${backend.url}/api/mon/v1/dead-letters/drop\n{\n  "all": true\n}\n` +
      '1 dead letter would be dropped\nnothing was sent\n',
    stderr: '',
  });
  expect(await monctl(['dead-letter', 'drop', '--handler', 'fail'], { answer: 'n' })).toEqual({
    code: 7,
    stdout: '',
    stderr: '1 dead letter would be dropped\ndrop the dead letters of fail? [y/N] monctl: nothing was done\n',
  });
  expect((await monctl(['dead-letter', 'retry', id, '--dry-run'])).stdout).toContain('1 dead letter would be retried');
  expect(await api.deadLetters()).toHaveLength(1);
  expect(await monctl(['dead-letter', 'drop', id], { answer: 'y' })).toMatchObject({ code: 0 });
  expect(await api.deadLetters()).toEqual([]);
});

test.each([
  ['info', '17'],
  ['retry', '17'],
  ['drop', '17'],
  ['drop', '17', '--dry-run'],
])('monctl dead-letter %s %s %s for a dead letter that does not exist exits with 3', async (...words) => {
  expect(await monctl(['dead-letter', ...words])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('there is no dead letter 17'),
  });
});

test.each([
  [[], 'select dead letters: use one ID, --handler NAME, or --all'],
  [['5', '--all'], 'select dead letters: use one ID, --handler NAME, or --all'],
  [['all'], '"all" is not the id of a dead letter: see monctl dead-letter list'],
])('monctl dead-letter rejects the ambiguous selection %j', async (words, problem) => {
  for (const verb of ['retry', 'drop']) {
    expect(await monctl(['dead-letter', verb, ...words])).toEqual({
      code: 2,
      stdout: '',
      stderr: `monctl: ${problem}\n`,
    });
  }
});

test('monctl handler list shows the numbers of deliveries of each handler', async () => {
  await fail('pager', 'web-4');
  const { stdout } = await monctl(['handler', 'list']);
  expect(stdout).toMatch(/^HANDLER +TYPE +QUEUED +RUNNING +RETRYING +DELIVERED +FAILED +OLDEST +LAST ERROR\n/);
  const [fails = '', pager = ''] = await rows('handler', 'list');
  expect(fails).toMatch(/^fail\|pipe\|0\|0\|0\|0\|\d\|/);
  expect(pager).toMatch(/^pager\|tcp\|0\|0\|0\|0\|1\|\S/);
});

async function complete(...words: string[]): Promise<string[]> {
  return (await monctl(['__complete', ...words])).stdout.trimEnd().split('\n');
}

test('monctl completes ids of dead letters and names of handlers', async () => {
  const id = await fail('fail', 'web-5');
  expect(await complete('dead-letter', 'retry', '')).toContain(id);
  expect(await complete('dead-letter', 'list', '--handler', '')).toEqual(['fail', 'pager']);
});
