import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { SHELL_TOKENS_WARNING } from '../../../../shared/domain/shell-tokens.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test.each<{ what: string; check: object; at?: string }>([
  { what: 'a line for the shell with a token', check: { command: 'ping :::address:::' }, at: 'command' },
  { what: 'one with a default', check: { command: 'df :::disk|/:::' }, at: 'command' },
  { what: 'such a hook', check: { command: 'true', hooks: { ok: { command: 'ps :::x:::' } } }, at: 'hooks.ok.command' },
  { what: 'both, told once', check: { command: 'a :::x:::', hooks: { ok: { command: ':::x:::' } } }, at: 'command' },
  { what: 'a line without one', check: { command: "docker ps --format '{{.Names}}' ::: x" } },
  { what: 'a list with one', check: { command: ['ping', ':::address:::'] } },
  { what: 'a token elsewhere', check: { command: 'true', note: ':::address:::' } },
  { what: 'a check of the machine itself', check: { command: 'ping :::address:::', standalone: true } },
])('$what', async ({ check, at }) => {
  const directory = join(await tempDir(), 'conf.d');
  await mkdir(directory);
  const checks = { x: { subscribers: ['a'], interval: 60, ...check } };
  await writeFile(join(directory, 'a.json'), JSON.stringify({ checks }));
  const { warnings } = await loadConfig({ directories: [directory], env: {} });
  expect(warnings.map((line) => line.replace(`${directory}/`, ''))).toEqual(
    at === undefined ? [] : [`a.json: checks.x.${at}: ${SHELL_TOKENS_WARNING}`],
  );
});

test('stored checks are named at the start', async () => {
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
