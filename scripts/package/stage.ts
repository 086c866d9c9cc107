import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { INSTALLATION_FILE } from '../../daemon/settings/installation.ts';
import { NATIVE_STORE } from '../lib/native-store.ts';
import { PROGRAMS } from '../lib/programs.ts';
import { debianChangelog, starterText, type Release } from './control.ts';
import { licensesText } from './licenses.ts';
import type { Manual } from './manuals.ts';
import { installationsOf, type Package } from './packages.ts';

/** The inputs from which every package is built. */
export interface Sources {
  /** Root directory of the repository clone. */
  readonly root: string;
  /** Directory of the built standalone programs. */
  readonly programs: string;
  /** Path of the Node.js executable. */
  readonly runtime: string;
  /** Path of the license file of Node.js. */
  readonly runtimeLicense: string;
  readonly release: Release;
  /** Date of the sources in seconds since the epoch. */
  readonly dateS: number;
  readonly manuals: ReadonlyMap<string, Manual>;
}

/** Directories of the manual pages and shell completions, relative to the root directory. */
export interface ShareDirectories {
  readonly bash: string;
  readonly zsh: string;
  readonly fish: string;
  readonly man: string;
}

const DEBIAN_DIRECTORIES: ShareDirectories = {
  bash: 'usr/share/bash-completion/completions',
  zsh: 'usr/share/zsh/vendor-completions',
  fish: 'usr/share/fish/vendor_completions.d',
  man: 'usr/share/man',
};

const EXECUTABLE_MODE = 0o755;

/** Creates the files of one package below `to`, in the layout of the installed package. */
export async function stagePackage(pack: Package, to: string, sources: Sources): Promise<void> {
  const { name, programs, service, documents } = pack;
  const folder = `/usr/lib/mon/${name}`;
  await stagePrograms([pack], join(to, folder), sources);
  for (const { name: program, files } of programs) {
    await putFile(join(to, 'usr/bin', program), starterText(folder, files[0] ?? '', flagsOf(program)), EXECUTABLE_MODE);
  }
  await stageManuals([pack], to, sources, DEBIAN_DIRECTORIES);
  const doc = join(to, 'usr/share/doc', name);
  for (const [from, document] of Object.entries(documents))
    await copyWithMode(join(sources.root, from), join(doc, document));
  await stageLicenses(doc, sources, { copyright: 'copyright', node: `${folder}/node` });
  const changes = await readFile(join(sources.root, 'CHANGELOG.md'));
  await putFile(join(doc, 'CHANGELOG.md.gz'), gzipText(changes));
  await putFile(join(doc, 'changelog.gz'), gzipText(debianChangelog(pack, sources.release, sources.dateS)));
  if (service === undefined) return;
  await stageService(pack, to, sources.root);
  const own = join(sources.root, 'scripts/package', name);
  await putFile(join(to, service.config), await readFile(join(own, service.config.slice('/etc/mon/'.length))), 0o640);
  await mkdir(join(to, service.definitions), { mode: 0o750 });
  if (name === 'mon-backend') await copyWithMode(join(own, 'logrotate.conf'), join(to, 'etc/logrotate.d', name));
}

/** Adds the systemd files of a service: its unit, its user and its directories. */
async function stageService({ name }: Package, to: string, root: string): Promise<void> {
  const own = join(root, 'scripts/package', name);
  await copyWithMode(join(own, `${name}.service`), join(to, 'usr/lib/systemd/system', `${name}.service`));
  await copyWithMode(join(own, 'sysusers.conf'), join(to, 'usr/lib/sysusers.d', `${name}.conf`));
  await copyWithMode(join(own, 'tmpfiles.conf'), join(to, 'usr/lib/tmpfiles.d', `${name}.conf`));
}

/**
 * Copies the programs of the given packages into one directory, with Node.js and, if a program needs it, the native
 * module of the store.
 */
export async function stagePrograms(
  packages: readonly Package[],
  folder: string,
  { runtime, programs, release: { version } }: Sources,
): Promise<void> {
  await copyWithMode(runtime, join(folder, 'node'), EXECUTABLE_MODE);
  for (const file of packages.flatMap((pack) => pack.programs.flatMap(({ files }) => files))) {
    await copyWithMode(join(programs, file), join(folder, file));
  }
  if (packages.some(({ hasStore }) => hasStore))
    await copyWithMode(join(programs, NATIVE_STORE), join(folder, NATIVE_STORE));
  const installations = installationsOf(packages);
  if (Object.keys(installations).length > 0) await putFile(join(folder, INSTALLATION_FILE), jsonText(installations));
  await putFile(join(folder, 'package.json'), jsonText({ name: 'mon', version, type: 'module', private: true }));
}

export async function stageManuals(
  packages: readonly Package[],
  to: string,
  { manuals }: Pick<Sources, 'manuals'>,
  directories: ShareDirectories,
): Promise<void> {
  for (const { name, section } of packages.flatMap(({ programs }) => programs)) {
    const manual = manuals.get(name);
    if (manual === undefined) throw new Error(`there is no manual of ${name}`);
    const { page, completions } = manual;
    const file = join(to, directories.man, `man${String(section)}`, `${name}.${String(section)}.gz`);
    await putFile(file, gzipText(page));
    await putFile(join(to, directories.bash, name), completions.bash);
    await putFile(join(to, directories.zsh, `_${name}`), completions.zsh);
    await putFile(join(to, directories.fish, `${name}.fish`), completions.fish);
  }
}

/** Writes the license files: the license of `mon`, of Node.js, and of the bundled packages. */
export async function stageLicenses(
  folder: string,
  { root, runtimeLicense }: Pick<Sources, 'root' | 'runtimeLicense'>,
  { copyright, node }: { readonly copyright: string; readonly node: string },
): Promise<void> {
  const own = await readFile(join(root, 'LICENSE'), 'utf8');
  const others = `${node} is Node.js: LICENSE.node.gz. Other packages within the programs: LICENSES.gz.\n`;
  await putFile(join(folder, copyright), `${own.trimEnd()}\n\n${others}`);
  await putFile(join(folder, 'LICENSE.node.gz'), gzipText(await readFile(runtimeLicense)));
  await putFile(join(folder, 'LICENSES.gz'), gzipText(licensesText(root)));
}

/** Returns the Node.js flags of a program; `undefined` if it has none. */
export function flagsOf(program: string): string | undefined {
  return PROGRAMS[program]?.nodeFlags;
}

/** Writes a file and creates its parent directories. */
export async function putFile(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 });
  await writeFile(file, content);
  await chmod(file, mode);
}

async function copyWithMode(from: string, to: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, mode);
}

function gzipText(text: string | Uint8Array): Uint8Array {
  return gzipSync(text, { level: 9 });
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
