import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
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
import { basename, join, resolve } from 'node:path';

/**
 * Tools that the scripts may expect on every machine. Node and npm are not among them: they are added separately, so
 * that a test can remove them.
 */
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

/** Replacement for the build script. It counts its runs, and creates a program that prints its arguments. */
const BUILD = `
import { appendFileSync, writeFileSync } from 'node:fs';
appendFileSync('builds', 'x');
if (process.env.BREAK_BUILD) { console.error('line one\\nline two'); process.exit(1); }
writeFileSync('dist/mon.js', 'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;');
`;

/**
 * Replacement for npm, which would access a registry. An installation is counted, and creates the files that npm
 * creates. Running a check writes its test report, and fails if `FAIL` contains its name.
 */
const NPM = `#!/bin/sh
case $1 in
  install)
    printf x >>installs
    mkdir -p node_modules/node/bin
    [ -n "\${NO_SCRIPTS-}" ] || ln -sf "${process.execPath}" node_modules/node/bin/node
    [ -e node_modules/zod ] || ln -s "${resolve('node_modules/zod')}" node_modules/zod
    [ -f node_modules/.package-lock.json ] || echo '{}' >node_modules/.package-lock.json
    ;;
  run)
    printf 'running %s\\n' "$3"
    check=\${3%%:*}
    [ "$check" != test ] || [ -z "\${REPORT-}" ] || printf '%s' "$REPORT" >"$MON_TEST_REPORT"
    case " \${FAIL-} " in *" $check "*) exit 1 ;; esac
    ;;
esac
`;

/**
 * A copy of the repository for tests of its scripts: the real scripts, few source files, a fast build, and a PATH with
 * only the listed tools.
 */
export interface ScriptClone extends Disposable {
  readonly root: string;
  /** The only directory in `PATH`. */
  readonly bin: string;
  run(script: string, args?: readonly string[], env?: Readonly<Record<string, string>>): SpawnSyncReturns<string>;
  /** Returns the number of installations or builds so far. */
  times(what: 'installs' | 'builds'): number;
  /** Sets the modification time of a file to a time later than that of all other files. */
  edit(file: string): void;
  /** Sets the modification time of a file to a time earlier than that of all other files. */
  age(file: string): void;
}

let tools: readonly string[] | undefined;

/**
 * Returns the paths of the tools. They are looked up only once, because starting a shell takes longer than creating a
 * clone.
 */
function toolPaths(): readonly string[] {
  const script = TOOLS.map((tool) => `command -v ${tool}`).join('\n');
  return (tools ??= execFileSync('sh', ['-ec', script], { encoding: 'utf8' }).trim().split('\n'));
}

export function makeScriptClone(): ScriptClone {
  // The path contains a space, as the paths of some users do.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mon clone ')));
  const bin = join(root, 'bin');
  cpSync('scripts', join(root, 'scripts'), { recursive: true });
  cpSync('.ci', join(root, '.ci'), { recursive: true });
  writeFileSync(join(root, 'scripts/build.ts'), BUILD);
  for (const folder of ['shared', 'daemon', 'tui', 'bin']) mkdirSync(join(root, folder));
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'shared/a.ts'])
    writeFileSync(join(root, file), '{}');
  for (const tool of toolPaths()) symlinkSync(tool, join(bin, basename(tool)));
  writeFileSync(join(bin, 'npm'), NPM, { mode: 0o755 });
  symlinkSync(process.execPath, join(bin, 'node'));
  return {
    root,
    bin,
    run: (script, args = [], env = {}) =>
      spawnSync(join(root, script), args, { encoding: 'utf8', env: { PATH: bin, ...env }, cwd: tmpdir() }),
    times: (what) => readFileSync(join(root, what), 'utf8').length,
    edit: (file) => {
      const later = new Date(Date.now() + 5000);
      utimesSync(join(root, file), later, later);
    },
    age: (file) => utimesSync(join(root, file), 1, 1),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
