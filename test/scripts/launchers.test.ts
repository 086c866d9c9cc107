/** @module-tag slow */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeScriptClone, type ScriptClone } from '../support/script-clone.ts';

const execFileAsync = promisify(execFile);

let clone: ScriptClone;
beforeEach(() => {
  clone = makeScriptClone();
});
afterEach(() => clone[Symbol.dispose]());

const launch = (args: readonly string[] = [], env: Record<string, string> = {}) => clone.run('scripts/mon', args, env);

test('the first launch installs, builds, and passes on the arguments and the exit code of the program', () => {
  const { stdout, stderr, status } = launch(['--backend', 'a b', '']);
  expect({ stdout, stderr, status }).toEqual({
    stdout: '["--backend","a b",""]\n',
    stderr: 'mon: installing packages...\nmon: building...\n',
    status: 7,
  });
});

test('a launcher with nothing to build prints nothing', () => {
  launch();
  expect(launch().stderr).toBe('');
  expect([clone.times('installs'), clone.times('builds')]).toEqual([1, 1]);
});

test('the launcher finds the clone through symbolic links, including relative ones', () => {
  symlinkSync('scripts/mon', join(clone.root, 'first'));
  symlinkSync(join(clone.root, 'first'), join(clone.bin, 'second'));
  expect(clone.run('bin/second', ['x']).stdout).toBe('["x"]\n');
});

test.each(['shared/a.ts', 'package.json', 'scripts/build.ts'])(
  'the launcher builds again after a change of %s',
  (file) => {
    launch();
    clone.edit(file);
    expect(launch().stderr).toBe('mon: building...\n');
  },
);

test('the launcher builds again when a source was deleted', () => {
  launch();
  rmSync(join(clone.root, 'shared/a.ts'));
  clone.edit('shared');
  expect(launch().stderr).toBe('mon: building...\n');
});

test('the launcher installs and builds again, but only once, when the lockfile is newer', () => {
  launch();
  clone.age('node_modules/.package-lock.json');
  expect(launch().stderr).toBe('mon: installing packages...\nmon: building...\n');
  expect(launch().stderr).toBe('');
});

test('simultaneous launches install and build only once', async () => {
  const launches = Array.from({ length: 4 }, () =>
    execFileAsync(join(clone.root, 'scripts/mon'), [], { env: { PATH: clone.bin } }).catch(
      (error: { code: number }) => error.code,
    ),
  );
  expect(await Promise.all(launches)).toEqual([7, 7, 7, 7]);
  expect([clone.times('installs'), clone.times('builds')]).toEqual([1, 1]);
});

test('the lock of a process that no longer exists does not block a launch', () => {
  mkdirSync(join(clone.root, 'build'));
  const { pid } = spawnSync('true');
  symlinkSync(String(pid), join(clone.root, 'build/prepare.lock'));
  expect(launch().status).toBe(7);
});

test('the launcher shows the whole output of a failed build and builds again at the next launch', () => {
  const { stderr, status } = launch([], { BREAK_BUILD: '1' });
  expect(stderr).toContain('line one\nline two\nmon: the build failed, see above.\n');
  expect(status).toBe(1);
  expect(launch().status).toBe(7);
});

test.each<{ name: string; prepare: () => void; message: string }>([
  {
    name: 'without Node',
    prepare: () => rmSync(join(clone.bin, 'node')),
    message: 'Node.js is not installed. Install version 20 or newer (https://nodejs.org), then run this again.',
  },
  {
    name: 'with an old Node',
    prepare: () => {
      rmSync(join(clone.bin, 'node'));
      writeFileSync(join(clone.bin, 'node'), '#!/bin/sh\necho 18.19.0\n', { mode: 0o755 });
    },
    message:
      'Node.js 18.19.0 is too old for the installation. Install version 20 or newer (https://nodejs.org), then run this again.',
  },
  {
    name: 'without npm',
    prepare: () => rmSync(join(clone.bin, 'npm')),
    message: 'npm is not installed. It comes with Node.js (https://nodejs.org); on Debian it is the package npm.',
  },
])('the launcher says what to do $name', ({ prepare, message }) => {
  prepare();
  const { stderr, status } = launch();
  expect(stderr).toBe(`mon: ${message}\n`);
  expect(status).toBe(1);
});

test('the launcher names an npm setting that disables install scripts', () => {
  expect(launch([], { NO_SCRIPTS: '1' }).stderr).toContain('npm config set ignore-scripts false');
});
