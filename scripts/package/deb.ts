import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { controlText, md5sumsText, scriptText, type Release } from './control.ts';
import type { Package } from './packages.ts';
import { putFile } from './stage.ts';

const runProgram = promisify(execFile);

/**
 * Compression options that every version of the packaging tools can read. The package is a sixth larger than with the
 * best compression, and is built in a quarter of the time.
 */
const COMPRESSION_OPTIONS = ['-Zxz', '-z1'];
const NO_COMPRESSION_OPTIONS = ['-Znone'];

/** The files in `scripts/package` that are joined to form each maintainer script, in order. */
const MAINTAINER_SCRIPTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'mon-backend': {
    postinst: ['daemon/postinst', 'mon-backend/postinst'],
    prerm: ['daemon/prerm'],
    postrm: ['daemon/postrm'],
  },
  'mon-agent': { postinst: ['daemon/postinst'], prerm: ['daemon/prerm'], postrm: ['daemon/postrm'] },
  'mon-cli': { postinst: ['mon-cli/postinst'], prerm: ['mon-cli/prerm'] },
};

interface DebOptions {
  readonly release: Release;
  /** Directory with the parts of the maintainer scripts. */
  readonly scripts: string;
  /** Directory in which the package file is written. */
  readonly out: string;
  readonly dateS: number;
  readonly isCompressed: boolean;
}

/**
 * Builds a .deb file from a directory. The same content gives the same bytes.
 *
 * @returns the path of the .deb file
 */
export async function buildDeb(
  pack: Package,
  folder: string,
  { release, scripts, out, dateS, isCompressed }: DebOptions,
): Promise<string> {
  await writeControl(pack, folder, release, scripts);
  const file = join(out, `${pack.name}_${release.version}_${release.architecture}.deb`);
  await runProgram(
    'dpkg-deb',
    ['--build', '--root-owner-group', ...(isCompressed ? COMPRESSION_OPTIONS : NO_COMPRESSION_OPTIONS), folder, file],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(dateS) },
    },
  );
  return file;
}

async function writeControl(pack: Package, folder: string, release: Release, scripts: string): Promise<void> {
  const files = await listFiles(folder);
  const configuration = files.filter((file) => file.startsWith('etc/'));
  const others = files.filter((file) => !file.startsWith('etc/'));
  const sums = new Map(await Promise.all(others.map(async (file) => [file, await md5Of(join(folder, file))] as const)));
  const control = join(folder, 'DEBIAN');
  await mkdir(control);
  await chmod(control, 0o755);
  await putFile(join(control, 'control'), controlText(pack, release, await kibOf(folder, files)));
  await putFile(join(control, 'md5sums'), md5sumsText(sums));
  if (configuration.length > 0) {
    await putFile(join(control, 'conffiles'), configuration.map((file) => `/${file}\n`).join(''));
  }
  for (const [script, names] of Object.entries(MAINTAINER_SCRIPTS[pack.name] ?? {})) {
    const pieces = await Promise.all(names.map((name) => readFile(join(scripts, name), 'utf8')));
    await putFile(join(control, script), scriptText(pack, release.version, pieces), 0o755);
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
}

async function kibOf(folder: string, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
}

async function md5Of(file: string): Promise<string> {
  return createHash('md5')
    .update(await readFile(file))
    .digest('hex');
}
