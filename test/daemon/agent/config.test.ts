import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDefinitions } from '../../../daemon/agent/config.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function directoryWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const dir = await tempDir();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
}

test('definitions of all directories are merged, the later one over the earlier', async () => {
  const first = await directoryWith({
    'a.json': {
      checks: { disk: { command: 'df', standalone: true, interval: 60 } },
      client: { subscriptions: ['web'] },
    },
    'deep/er/b.json': { client: { rack: 'r7', subscriptions: ['all', 'web'] } },
    'readme.txt': 'not read',
    '.hidden.json': 'not read',
  });
  const second = await directoryWith({ 'c.json': { checks: { disk: { interval: 10 } } } });
  const { checks, client, warnings } = await loadDefinitions([first, second]);
  expect([...checks]).toEqual([['disk', { command: 'df', standalone: true, interval: 10 }]]);
  expect(client).toEqual({ subscriptions: ['web', 'all'], rack: 'r7' });
  expect(warnings).toEqual([]);
});

test('without a directory there is nothing to run', async () => {
  expect(await loadDefinitions([])).toEqual({ checks: new Map(), client: {}, warnings: [] });
});

test('what has no effect on an agent is told, what belongs to the backend is not', async () => {
  const dir = await directoryWith({
    'all.json': {
      handlers: { mail: { type: 'pipe', command: 'mail' } },
      api: { port: 4567 },
      redis: { host: 'localhost' },
      checks: { cron: { command: 'true', standalone: true, cron: '* * * * *' } },
    },
  });
  const { warnings } = await loadDefinitions([dir]);
  expect(warnings).toEqual([
    `${dir}/all.json: redis: has no effect on an agent`,
    `${dir}/all.json: checks.cron.interval: is missing, so the agent never runs it`,
  ]);
});

test.each<{ name: string; files: Record<string, unknown>; problems: string[] }>([
  {
    name: 'a file that is not JSON',
    files: { 'a.json': '{\n  "checks": {,}\n}' },
    problems: ['a.json, line 2, column 14: expected a name in double quotes'],
  },
  {
    name: 'several broken definitions at once',
    files: {
      'a.json': { checks: { disk: { standalone: true, interval: 60 } } },
      'b.json': { checks: { 'lo ad': { command: 'uptime', standalone: true, interval: 60 } } },
    },
    problems: [
      'a.json: checks.disk.command: is required, unless extension is set',
      'b.json: checks.lo ad: must be word characters, dots and hyphens only',
    ],
  },
  {
    name: 'a section of the wrong kind',
    files: { 'a.json': { client: 'web1' } },
    problems: ['a.json: client: must be an object'],
  },
  {
    name: 'a key that could reach a prototype',
    files: { 'a.json': '{"client":{"__proto__":{"admin":true}}}' },
    problems: ['a.json, line 1, column 12: the name "__proto__" is not allowed'],
  },
])('$name is refused with its place', async ({ files, problems }) => {
  const dir = await directoryWith(files);
  await expect(loadDefinitions([dir])).rejects.toMatchObject({
    code: 'invalid',
    message: [
      `the configuration has ${problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`}:`,
      ...problems.map((problem) => `${dir}/${problem}`),
    ].join('\n  '),
  });
});
