import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);

/** What the launchers may expect of any machine, so that a test can take away Node and npm. */
const TOOLS = [
  'sh',
  'bash',
  'dirname',
  'readlink',
  'find',
  'ln',
  'mkdir',
  'rm',
  'rmdir',
  'mv',
  'cat',
  'sleep',
  'touch',
];

/** Stands for the bundler: counts its runs and leaves a program that tells its arguments. */
const BUILD = `
import { appendFileSync, writeFileSync } from 'node:fs';
appendFileSync('builds', 'x');
if (process.env.BREAK_BUILD) { console.error('line one\\nline two'); process.exit(1); }
writeFileSync('dist/mon.js', 'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;');
`;

/** Stands for npm: counts its runs and leaves what an installation leaves. */
const NPM = `#!/bin/sh
printf x >>installs
mkdir -p node_modules/node/bin
[ -n "\${NO_SCRIPTS-}" ] || ln -sf "${process.execPath}" node_modules/node/bin/node
[ -f node_modules/.package-lock.json ] || echo '{}' >node_modules/.package-lock.json
`;

let root: string;
let bin: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mon launchers ')));
  bin = join(root, 'bin');
  cpSync('scripts', join(root, 'scripts'), { recursive: true });
  writeFileSync(join(root, 'scripts/build.ts'), BUILD);
  for (const folder of ['shared', 'daemon', 'tui', 'bin']) mkdirSync(join(root, folder));
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'shared/a.ts'])
    writeFileSync(join(root, file), '{}');
  for (const tool of TOOLS)
    symlinkSync(execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(bin, tool));
  writeFileSync(join(bin, 'npm'), NPM, { mode: 0o755 });
  symlinkSync(process.execPath, join(bin, 'node'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const launch = (args: string[] = [], env: Record<string, string> = {}, path = join(root, 'scripts/mon')) =>
  spawnSync(path, args, { encoding: 'utf8', env: { PATH: bin, ...env }, cwd: tmpdir() });

const times = (file: 'builds' | 'installs'): number => readFileSync(join(root, file), 'utf8').length;

/** Makes a file newer than everything the launchers have written. */
const edit = (file: string): void => {
  const later = new Date(Date.now() + 5000);
  utimesSync(join(root, file), later, later);
};

/** Makes a file older than everything else. */
const age = (file: string): void => utimesSync(join(root, file), 1, 1);

test('the first run installs, builds and hands over arguments and exit code', () => {
  const { stdout, stderr, status } = launch(['--backend', 'a b', '']);
  expect({ stdout, stderr, status }).toEqual({
    stdout: '["--backend","a b",""]\n',
    stderr: 'mon: installing packages...\nmon: building...\n',
    status: 7,
  });
});

test('with nothing to do it says nothing', () => {
  launch();
  expect(launch().stderr).toBe('');
  expect([times('installs'), times('builds')]).toEqual([1, 1]);
});

test('it finds the clone through symbolic links, relative ones too', () => {
  symlinkSync('scripts/mon', join(root, 'first'));
  symlinkSync(join(root, 'first'), join(bin, 'second'));
  expect(launch(['x'], {}, join(bin, 'second')).stdout).toBe('["x"]\n');
});

test.each(['shared/a.ts', 'package.json', 'scripts/build.ts'])('it builds again after a change of %s', (file) => {
  launch();
  edit(file);
  expect(launch().stderr).toBe('mon: building...\n');
});

test('it builds again when a source was deleted', () => {
  launch();
  rmSync(join(root, 'shared/a.ts'));
  edit('shared');
  expect(launch().stderr).toBe('mon: building...\n');
});

test('it installs and builds again when the lockfile is newer, once', () => {
  launch();
  age('node_modules/.package-lock.json');
  expect(launch().stderr).toBe('mon: installing packages...\nmon: building...\n');
  expect(launch().stderr).toBe('');
});

test('launches at the same time prepare once', async () => {
  const launches = Array.from({ length: 4 }, () =>
    run(join(root, 'scripts/mon'), [], { env: { PATH: bin } }).catch((error: { code: number }) => error.code),
  );
  expect(await Promise.all(launches)).toEqual([7, 7, 7, 7]);
  expect([times('installs'), times('builds')]).toEqual([1, 1]);
});

test('the lock of a process that is gone does not block', () => {
  mkdirSync(join(root, 'build'));
  const { pid } = spawnSync('true');
  symlinkSync(String(pid), join(root, 'build/prepare.lock'));
  expect(launch().status).toBe(7);
});

test('a failed build is shown whole, and is tried again', () => {
  const { stderr, status } = launch([], { BREAK_BUILD: '1' });
  expect(stderr).toContain('line one\nline two\nmon: the build failed, see above.\n');
  expect(status).toBe(1);
  expect(launch().status).toBe(7);
});

test.each<{ name: string; prepare: () => void; message: string }>([
  {
    name: 'without Node',
    prepare: () => rmSync(join(bin, 'node')),
    message: 'Node.js is not installed. Install version 20 or newer (https://nodejs.org), then run this again.',
  },
  {
    name: 'with an old Node',
    prepare: () => {
      rmSync(join(bin, 'node'));
      writeFileSync(join(bin, 'node'), '#!/bin/sh\necho 18.19.0\n', { mode: 0o755 });
    },
    message:
      'Node.js 18.19.0 is too old for the installation. Install version 20 or newer (https://nodejs.org), then run this again.',
  },
  {
    name: 'without npm',
    prepare: () => rmSync(join(bin, 'npm')),
    message: 'npm is not installed. It comes with Node.js (https://nodejs.org); on Debian it is the package npm.',
  },
])('$name it says what to do', ({ prepare, message }) => {
  prepare();
  const { stderr, status } = launch();
  expect(stderr).toBe(`mon: ${message}\n`);
  expect(status).toBe(1);
});

test('an npm that runs no install scripts is named', () => {
  expect(launch([], { NO_SCRIPTS: '1' }).stderr).toContain('npm config set ignore-scripts false');
});
