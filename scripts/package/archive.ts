import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { movableStarterText } from './control.ts';
import { PACKAGES } from './packages.ts';
import { flagsOf, putFile, stageLicenses, stageManuals, stagePrograms, type Sources } from './stage.ts';

const runProgram = promisify(execFile);

/** Directory in which the systemd units of the archive expect the unpacked archive. */
const INSTALL_DIRECTORY = '/opt/mon';

const ARCHIVE_DIRECTORIES = {
  bash: 'share/bash-completion/completions',
  zsh: 'share/zsh/site-functions',
  fish: 'share/fish/vendor_completions.d',
  man: 'share/man',
};

/** Creates the content of the archive in one relocatable directory: all programs with one Node.js. */
export async function stageArchive(to: string, sources: Sources): Promise<void> {
  const { root } = sources;
  await stagePrograms(PACKAGES, join(to, 'lib'), sources);
  await stageManuals(PACKAGES, to, sources, ARCHIVE_DIRECTORIES);
  await stageLicenses(to, sources, { copyright: 'LICENSE', node: 'lib/node' });
  for (const document of ['README.md', 'CHANGELOG.md', 'docs/install.md']) {
    await putFile(join(to, document), await readFile(join(root, document)));
  }
  for (const { name, programs, service } of PACKAGES) {
    for (const { name: program, files } of programs) {
      await putFile(join(to, 'bin', program), movableStarterText(files[0] ?? '', flagsOf(program)), 0o755);
    }
    if (service === undefined) continue;
    const own = join(root, 'scripts/package', name);
    const config = service.config.slice('/etc/mon/'.length);
    await putFile(join(to, 'etc', config), await readFile(join(own, config)));
    const unit = await readFile(join(own, `${name}.service`), 'utf8');
    await putFile(join(to, 'systemd', `${name}.service`), unit.replaceAll('/usr/bin/', `${INSTALL_DIRECTORY}/bin/`));
    for (const kind of ['sysusers', 'tmpfiles']) {
      await putFile(join(to, `${kind}.d`, `${name}.conf`), await readFile(join(own, `${kind}.conf`)));
    }
  }
}

/**
 * Builds the archive file.
 *
 * @param folder directory in `parent` that becomes the only top-level directory of the archive
 */
export async function buildArchive(parent: string, folder: string, file: string, dateS: number): Promise<void> {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${String(dateS)}`];
  await runProgram('tar', [
    '--create',
    ...same,
    '--use-compress-program=gzip -n',
    `--file=${file}`,
    `--directory=${parent}`,
    folder,
  ]);
}
