import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { SHELL_TOKENS_WARNING } from '../../../../shared/domain/shell-tokens.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test.each<{ title: string; check: object; at?: string }>([
  { title: 'a shell command with a token', check: { command: 'ping :::address:::' }, at: 'command' },
  { title: 'a token with a default', check: { command: 'df :::disk|/:::' }, at: 'command' },
  {
    title: 'a hook with a token',
    check: { command: 'true', hooks: { ok: { command: 'ps :::x:::' } } },
    at: 'hooks.ok.command',
  },
  {
    title: 'a check and a hook with tokens',
    check: { command: 'a :::x:::', hooks: { ok: { command: ':::x:::' } } },
    at: 'command',
  },
  { title: 'a shell command without a token', check: { command: "docker ps --format '{{.Names}}' ::: x" } },
  { title: 'a list of arguments with a token', check: { command: ['ping', ':::address:::'] } },
  { title: 'a token in another attribute', check: { command: 'true', note: ':::address:::' } },
  { title: 'a standalone check', check: { command: 'ping :::address:::', standalone: true } },
])('the warning about tokens in a shell command is correct for $title', async ({ check, at }) => {
  const directory = join(await tempDir(), 'conf.d');
  await mkdir(directory);
  const checks = { x: { subscribers: ['a'], interval: 60, ...check } };
  await writeFile(join(directory, 'a.json'), JSON.stringify({ checks }));
  const { warnings } = await loadConfig({ directories: [directory], env: {} });
  expect(warnings.map((line) => line.replace(`${directory}/`, ''))).toEqual(
    at === undefined ? [] : [`a.json: checks.x.${at}: ${SHELL_TOKENS_WARNING}`],
  );
});

test('checks in the store with tokens in a shell command are logged at the start', async () => {
  const dir = await tempDir();
  const first = await openBackend({ dir });
  const v2 = new V2Peer(first.url);
  for (const [name, command] of [
    ['risky', 'ping {{ .name }}'],
    ['fine', ['ping', '{{ .name }}']],
  ] as const) {
    await v2.put(`/namespaces/default/checks/${name}`, { metadata: { name }, command, interval: 60 });
  }
  await first.stop();

  const log = new RecordedLog();
  await (await openBackend({ dir, log })).stop();
  expect(log.records.filter(({ message }) => message.includes(SHELL_TOKENS_WARNING))).toEqual([
    { level: 'warn', message: expect.any(String), fields: { checks: ['default/risky'], check_count: 1 } },
  ]);
});
