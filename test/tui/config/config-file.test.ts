import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseSearch } from '../../../shared/domain/search.ts';
import { configPath, readConsoleConfig } from '../../../tui/config/config-file.ts';
import { EMPTY_CONFIG } from '../../../tui/config/console-config.ts';
import { resolveContext } from '../../../tui/config/resolve-context.ts';
import { saveView } from '../../../tui/config/save-view.ts';
import { tempDir } from '../../support/temp-dir.ts';
import type { SavedView } from '../../../tui/state/saved-view.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const VIEW: SavedView = {
  view: 'events',
  filter: 'status>=warn !silenced',
  sort: { column: 'age', reversed: true },
  columns: ['client', 'output'],
};

let dir: string;
let path: string;

beforeEach(async () => {
  dir = await tempDir();
  path = join(dir, 'mon', 'console.yml');
});

test.each([
  [{ XDG_CONFIG_HOME: '/x' }, '/x/mon/console.yml'],
  [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/mon/console.yml'],
  [{ HOME: '/h' }, '/h/.config/mon/console.yml'],
])('the path of the configuration file for %o is %s', (env, expected) => {
  expect(configPath(env)).toBe(expected);
});

describe('the configuration file of the console', () => {
  test('a missing default configuration file is ignored, but a missing --config file is an error', async () => {
    expect(await readConsoleConfig(undefined, { XDG_CONFIG_HOME: dir })).toEqual({ path, config: EMPTY_CONFIG });
    expect(await readConsoleConfig(path, {})).toEqual({ problem: `${path}: no such file` });
  });

  test('every mistake in the configuration file of the console is reported', async () => {
    await mkdir(join(dir, 'mon'));
    await writeFile(path, 'keyz: {}\nbel: true\n');
    const outcome = await readConsoleConfig(undefined, { XDG_CONFIG_HOME: dir });
    expect(outcome).toMatchObject({ problem: expect.stringMatching(/console.yml:1:1: keyz.*\n.*:2:1: bel/) });
  });
});

describe('saving a view', () => {
  test('saving a view creates a private file that is read back the same', async () => {
    await saveView(path, 'on-call', VIEW);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readConsoleConfig(path, {})).toMatchObject({ config: { views: new Map([['on-call', VIEW]]) } });
    expect(await readdir(join(dir, 'mon'))).toEqual(['console.yml']);
  });

  test('saving a view leaves comments and all other settings of the file unchanged', async () => {
    await mkdir(join(dir, 'mon'));
    await writeFile(
      path,
      '# mine\nkeys:\n  silence: ctrl-t # vim\nviews:\n  # the edge\n  edge:\n    view: clients\n  old: { view: events }\n',
    );
    await saveView(path, 'on-call', VIEW);
    await saveView(path, 'old', undefined);
    expect(await readFile(path, 'utf8')).toBe(
      [
        '# mine',
        'keys:',
        '  silence: ctrl-t # vim',
        'views:',
        '  # the edge',
        '  edge:',
        '    view: clients',
        '  on-call:',
        '    view: events',
        '    filter: status>=warn !silenced',
        '    sort: -age',
        '    columns:',
        '      - client',
        '      - output',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['', 'views:\n  a:\n    view: events\n'],
    ['# mine', '# mine\nviews:\n  a:\n    view: events\n'],
    [
      'views: # none\nkeys: {silence:   ctrl-t}\n',
      'views:\n  a:\n    view: events # none\nkeys: {silence:   ctrl-t}\n',
    ],
    ['views: {}\n\n# keys\nkeys: {}\n', 'views: { a: { view: events } }\n\n# keys\nkeys: {}\n'],
    ['skin:   dark\ncolumns: {events: [ client ]}', null],
    ['{ keys: {} }', '{ keys: {}, views: { a: { view: events } } }\n'],
  ])('saving a view changes only the setting views of the file %j', async (before, after) => {
    await mkdir(join(dir, 'mon'));
    await writeFile(path, before);
    await saveView(path, 'a', { view: 'events', filter: '', sort: undefined, columns: undefined });
    expect(await readFile(path, 'utf8')).toBe(after ?? `${before}\nviews:\n  a:\n    view: events\n`);
  });

  test('saving a view follows a symbolic link to the file', async () => {
    await mkdir(join(dir, 'mon'));
    await writeFile(join(dir, 'kept.yml'), 'views:\n');
    await symlink(join(dir, 'kept.yml'), path);
    await saveView(path, 'a', VIEW);
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(dir, 'kept.yml'), 'utf8')).toContain('  a:\n');
  });

  test('any view that is saved to the file is read back unchanged', async () => {
    const anyView = fc.record({
      view: fc.constant('events' as const),
      filter: fc
        .string({ unit: 'binary', maxLength: 40 })
        .filter((text) => parseSearch(text).kind === 'search')
        .map((text) => text.trim()),
      sort: fc.option(fc.record({ column: fc.constantFrom('age', 'client'), reversed: fc.boolean() }), {
        nil: undefined,
      }),
      columns: fc.option(fc.subarray(['client', 'check', 'output'], { minLength: 1 }), { nil: undefined }),
      fold: fc.constantFrom('check' as const, 'cause' as const, undefined),
    });
    const anyName = fc.stringMatching(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,8}$/u);
    await fc.assert(
      fc.asyncProperty(anyName, anyView, async (name, view) => {
        await saveView(path, name, view);
        const loaded = await readConsoleConfig(path, {});
        expect('config' in loaded ? loaded.config.views.get(name) : loaded).toEqual(view);
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  test('saving a view never overwrites a file with a mistake in it', async () => {
    await mkdir(join(dir, 'mon'));
    await writeFile(path, 'views: [');
    await expect(saveView(path, 'a', VIEW)).rejects.toMatchObject({ code: 'conflict' });
    expect(await readFile(path, 'utf8')).toBe('views: [');
  });
});

describe('a context of the configuration file', () => {
  const prod = { backend: 'https://mon.example.org', user: 'alice' };

  test('a context reads its credentials from the environment or a file', async () => {
    const env = { PW: 'hunter2', MON_API_KEY: 'of-another' };
    expect(await resolveContext('prod', { ...prod, password: { env: 'PW' } }, env)).toEqual({
      backend: prod.backend,
      env: { MON_CREDENTIALS: 'alice:hunter2' },
    });
    const file = join(dir, 'key');
    await writeFile(file, 'k-123\n', { mode: 0o600 });
    expect(await resolveContext('lab', { backend: 'http://x', key: { file } }, env)).toEqual({
      backend: 'http://x',
      env: { MON_API_KEY: 'k-123' },
    });
    expect(await resolveContext('open', { backend: 'http://x' }, { ...env, XDG_CONFIG_HOME: '/c' })).toEqual({
      backend: 'http://x',
      env: { MON_LOGIN_DIR: '/c/mon/logins' },
    });
  });

  test('a context rejects a secret file that other users can read', async () => {
    const file = join(dir, 'key');
    await writeFile(file, 'k-123\n', { mode: 0o644 });
    await expect(resolveContext('lab', { backend: 'http://x', key: { file } }, {})).rejects.toThrow(
      `the key of lab cannot be read: other users of this machine can read ${file}: chmod 600 it`,
    );
  });

  test('a context without its secret fails with an error that says where the secret is missing', async () => {
    await expect(resolveContext('prod', { ...prod, password: { env: 'PW' } }, {})).rejects.toThrow(
      'the password of prod is missing: $PW is empty or not set',
    );
    await expect(resolveContext('prod', { ...prod, password: { file: join(dir, 'no') } }, {})).rejects.toThrow(
      /^the password of prod cannot be read: ENOENT/,
    );
  });
});
