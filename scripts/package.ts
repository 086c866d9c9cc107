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

const REPOSITORY_ROOT = resolve(import.meta.dirname, '..');
const ARCHIVE_NAME = 'tar';
const DEBIAN_ARCHITECTURES: Readonly<Record<string, Release['architecture']>> = { x64: 'amd64', arm64: 'arm64' };

const runProgram = promisify(execFile);

const { version: ownVersion } = JSON.parse(await readFile(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const packageNames = [...PACKAGES.map(({ name }) => name), ARCHIVE_NAME];
const usageText = `usage: npm run package -- [--out DIR] [--version V] [--only ${packageNames.join(',')}] [--uncompressed], on Linux, amd64 or arm64`;
const { values } = readArguments(
  {
    options: {
      out: { type: 'string', default: 'build/packages' },
      /** Version number written into the packages, to test an upgrade; the programs keep their own version. */
      version: { type: 'string', default: ownVersion },
      /** True to skip compression, so that a test build takes only a few seconds. */
      uncompressed: { type: 'boolean', default: false },
      only: { type: 'string', default: packageNames.join(',') },
    },
  },
  usageText,
);
const selectedNames = values.only.split(',');
const architecture = DEBIAN_ARCHITECTURES[process.arch];
if (
  architecture === undefined ||
  process.platform !== 'linux' ||
  selectedNames.some((name) => !packageNames.includes(name))
) {
  refuseArguments(usageText);
}

process.umask(0o022);
const { env } = process;
const maintainer = `${env['DEBFULLNAME'] ?? 'mon'} <${env['DEBEMAIL'] ?? 'mon@localhost'}>`;
const release: Release = { version: values.version, architecture, maintainer };
const outputDirectory = resolve(values.out);
const dateS = Number(env['SOURCE_DATE_EPOCH'] ?? (await dateOfSources()));
const scratchDirectory = await mkdtemp(join(tmpdir(), 'mon-package-'));
try {
  await mkdir(outputDirectory, { recursive: true });
  const programs = join(scratchDirectory, 'programs');
  await runProgram(process.execPath, ['scripts/build.ts', '--self-contained', programs], { cwd: REPOSITORY_ROOT });
  const manuals = manualsOf({ version: release.version, dateS });
  const runtime = join(REPOSITORY_ROOT, 'node_modules/node/bin/node');
  const runtimeLicense = await findLicense();
  const sources: Sources = { root: REPOSITORY_ROOT, programs, runtime, runtimeLicense, release, dateS, manuals };
  await Promise.all(selectedNames.map((name) => makePackage(name, sources)));
} finally {
  await rm(scratchDirectory, { recursive: true, force: true });
}

async function makePackage(name: string, sources: Sources): Promise<void> {
  const pack = PACKAGES.find((one) => one.name === name);
  if (pack === undefined) {
    const folder = `mon-${release.version}`;
    await stageArchive(join(scratchDirectory, ARCHIVE_NAME, folder), sources);
    const file = join(outputDirectory, `${folder}-linux-${process.arch}.tar.gz`);
    await buildArchive(join(scratchDirectory, ARCHIVE_NAME), folder, file, dateS);
    console.log(file);
    return;
  }
  const folder = join(scratchDirectory, name);
  await stagePackage(pack, folder, sources);
  const scripts = join(REPOSITORY_ROOT, 'scripts/package');
  console.log(
    await buildDeb(pack, folder, { release, scripts, out: outputDirectory, dateS, isCompressed: !values.uncompressed }),
  );
}

/**
 * Returns the path of the license file of Node.js. If `npm install` removed the Node.js package from an existing clone,
 * `npm rebuild` installs it again.
 */
async function findLicense(): Promise<string> {
  const node = createRequire(join(REPOSITORY_ROOT, 'node_modules/node/package.json'));
  const find = (): string => join(dirname(node.resolve(`node-linux-${process.arch}/package.json`)), 'LICENSE');
  try {
    return find();
  } catch {
    await runProgram('npm', ['rebuild', 'node'], { cwd: REPOSITORY_ROOT });
    return find();
  }
}

/**
 * Returns the date of the last commit in seconds since the epoch; without git, 1 January 1980, the earliest date that
 * archives support.
 */
async function dateOfSources(): Promise<string> {
  try {
    return (await runProgram('git', ['log', '-1', '--format=%ct'], { cwd: REPOSITORY_ROOT })).stdout.trim();
  } catch {
    return '315532800';
  }
}
