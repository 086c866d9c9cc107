// npm run package [-- --out DIR --version V --only NAME,... --uncompressed]: builds the Debian packages and the tar
// archive. It uses the network only if `findLicense` has to reinstall Node.js.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readArguments, refuseArguments } from './lib/read-arguments.ts';
import { buildArchive, stageArchive } from './package/archive.ts';
import type { Release } from './package/control.ts';
import { buildDeb } from './package/deb.ts';
import { manualsOf } from './package/manuals.ts';
import { PACKAGES } from './package/packages.ts';
import { stagePackage, type Sources } from './package/stage.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ARCHIVE = 'tar';
const ARCHITECTURES: Readonly<Record<string, Release['architecture']>> = { x64: 'amd64', arm64: 'arm64' };

const run = promisify(execFile);

const { version: ownVersion } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const names = [...PACKAGES.map(({ name }) => name), ARCHIVE];
const usage = `usage: npm run package -- [--out DIR] [--version V] [--only ${names.join(',')}] [--uncompressed], on Linux, amd64 or arm64`;
const { values } = readArguments(
  {
    options: {
      out: { type: 'string', default: 'build/packages' },
      /** Version number written into the packages, to test an upgrade; the programs keep their own version. */
      version: { type: 'string', default: ownVersion },
      /** True to skip compression, so that a test build takes only a few seconds. */
      uncompressed: { type: 'boolean', default: false },
      only: { type: 'string', default: names.join(',') },
    },
  },
  usage,
);
const selectedNames = values.only.split(',');
const architecture = ARCHITECTURES[process.arch];
if (architecture === undefined || process.platform !== 'linux' || selectedNames.some((name) => !names.includes(name))) {
  refuseArguments(usage);
}

process.umask(0o022);
const { env } = process;
const maintainer = `${env['DEBFULLNAME'] ?? 'mon'} <${env['DEBEMAIL'] ?? 'mon@localhost'}>`;
const release: Release = { version: values.version, architecture, maintainer };
const out = resolve(values.out);
const dateS = Number(env['SOURCE_DATE_EPOCH'] ?? (await dateOfSources()));
const scratch = await mkdtemp(join(tmpdir(), 'mon-package-'));
try {
  await mkdir(out, { recursive: true });
  const programs = join(scratch, 'programs');
  await run(process.execPath, ['scripts/build.ts', '--self-contained', programs], { cwd: ROOT });
  const manuals = manualsOf({ version: release.version, dateS });
  const runtime = join(ROOT, 'node_modules/node/bin/node');
  const runtimeLicense = await findLicense();
  const sources: Sources = { root: ROOT, programs, runtime, runtimeLicense, release, dateS, manuals };
  await Promise.all(selectedNames.map((name) => make(name, sources)));
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function make(name: string, sources: Sources): Promise<void> {
  const pack = PACKAGES.find((one) => one.name === name);
  if (pack === undefined) {
    const folder = `mon-${release.version}`;
    await stageArchive(join(scratch, ARCHIVE, folder), sources);
    const file = join(out, `${folder}-linux-${process.arch}.tar.gz`);
    await buildArchive(join(scratch, ARCHIVE), folder, file, dateS);
    console.log(file);
    return;
  }
  const folder = join(scratch, name);
  await stagePackage(pack, folder, sources);
  const scripts = join(ROOT, 'scripts/package');
  console.log(await buildDeb(pack, folder, { release, scripts, out, dateS, isCompressed: !values.uncompressed }));
}

/**
 * Returns the path of the license file of Node.js. If `npm install` removed the Node.js package from an existing clone,
 * `npm rebuild` installs it again.
 */
async function findLicense(): Promise<string> {
  const node = createRequire(join(ROOT, 'node_modules/node/package.json'));
  const find = (): string => join(dirname(node.resolve(`node-linux-${process.arch}/package.json`)), 'LICENSE');
  try {
    return find();
  } catch {
    await run('npm', ['rebuild', 'node'], { cwd: ROOT });
    return find();
  }
}

/**
 * Returns the date of the last commit in seconds since the epoch; without git, 1 January 1980, the earliest date that
 * archives support.
 */
async function dateOfSources(): Promise<string> {
  try {
    return (await run('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })).stdout.trim();
  } catch {
    return '315532800';
  }
}
