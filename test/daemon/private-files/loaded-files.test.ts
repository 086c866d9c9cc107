import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LoadedFiles } from '../../../daemon/private-files/loaded-files.ts';
import { send } from '../../support/raw-http.ts';
import { modeOf } from '../../support/file-modes.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { startBackend } from '../../support/running-backend.ts';
import { tempDir } from '../../support/temp-dir.ts';

const listOf = ([variable = '']: readonly string[]): string => variable.replace('SENSU_LOADED_TEMPFILE=', '');

test('the list of loaded configuration files is private, is updated after a reload, and is removed at the end', async () => {
  const dir = await tempDir();
  const files = new LoadedFiles(dir, new RecordedLog());
  const list = listOf(files.environment);
  await files.write(['/etc/mon/a.json', '/etc/mon/b.yml', 'conf.d/c.json']);
  expect(await readFile(list, 'utf8')).toBe(`/etc/mon/a.json:${join(process.cwd(), 'conf.d/c.json')}`);
  expect(await modeOf(list)).toBe('600');
  await Promise.all([files.write(['/etc/mon/d.json']), files.write(['/etc/mon/e.json'])]);
  expect(await readFile(list, 'utf8')).toBe('/etc/mon/e.json');
  await files[Symbol.asyncDispose]();
  expect(await readdir(dir)).toEqual([]);
});

test('a list of loaded configuration files that cannot be written only logs a warning', async () => {
  const log = new RecordedLog();
  await using files = new LoadedFiles('/nowhere/at/all', log);
  await files.write(['/etc/mon/a.json']);
  expect(log.messages('warn')).toEqual([
    'could not write the file that lists the configuration files: handlers that read their settings from it will fail',
  ]);
});

test('handlers and mutators can find the configuration files through the list of loaded files', async () => {
  const dir = await tempDir();
  const copy = join(dir, 'copy');
  await using backend = await startBackend({
    settings: {
      handlers: { default: { type: 'pipe', command: `cat > ${copy}.new && mv ${copy}.new ${copy}`, mutator: 'own' } },
      mutators: { own: { command: 'cat "$(cat "$SENSU_LOADED_TEMPFILE")"' } },
      mail: { to: 'ops@example.org' },
    },
  });
  const body = JSON.stringify({ name: 'disk', source: 'web-1', output: 'full', status: 2 });
  await send(backend.url, { method: 'POST', target: '/results', body });
  await vi.waitFor(async () =>
    expect(JSON.parse(await readFile(copy, 'utf8'))).toMatchObject({ mail: { to: 'ops@example.org' } }),
  );
});
