import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Release } from '../../../scripts/package/control.ts';
import { buildDeb } from '../../../scripts/package/deb.ts';
import { PACKAGES } from '../../../scripts/package/packages.ts';
import { stagePackage } from '../../../scripts/package/stage.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { tempDir } from '../../support/temp-dir.ts';

const RELEASE: Release = { version: '1.2.3', architecture: 'amd64', maintainer: 'mon <mon@localhost>' };
const HAS_DPKG = spawnSync('dpkg-deb', ['--version']).status === 0;

/**
 * Builds the package of the agent with empty files instead of the programs and Node.js, and returns its path.
 * Everything else is real.
 */
async function anAgentPackage(): Promise<string> {
  const pack = PACKAGES.find(({ name }) => name === 'mon-agent');
  if (pack === undefined) throw new Error('there is no package of the agent');
  const [programs, out, stage] = [await tempDir(), await tempDir(), join(await tempDir(), 'mon-agent')];
  for (const file of ['mon-agent.js', 'classic-level.node', 'node']) await writeFile(join(programs, file), '');
  await mkdir(stage, { mode: 0o755 });
  const manual = { page: '.TH MON-AGENT 8\n', completions: { bash: '#b\n', zsh: '#z\n', fish: '#f\n' } };
  const manuals = new Map([['mon-agent', manual]]);
  await stagePackage(pack, stage, {
    root: REPOSITORY,
    programs,
    runtime: join(programs, 'node'),
    runtimeLicense: join(REPOSITORY, 'LICENSE'),
    release: RELEASE,
    dateS: 0,
    manuals,
  });
  const scripts = join(REPOSITORY, 'scripts/package');
  return await buildDeb(pack, stage, { release: RELEASE, scripts, out, dateS: 0, isCompressed: false });
}

test.runIf(HAS_DPKG)(
  'a .deb contains readable programs and manuals and a private configuration, and is reproducible',
  async () => {
    const deb = await anAgentPackage();
    const contents = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' });
    const rows = contents
      .trim()
      .split('\n')
      .map((row) => row.split(/ +/))
      .map(([mode = '', owner = '', , , , path = '']) => `${mode} ${owner} ${path}`);
    expect(rows.filter((row) => !row.startsWith('d') && !row.includes('/usr/share/doc/'))).toEqual([
      '-rw-r----- root/root ./etc/mon/agent.yml',
      '-rwxr-xr-x root/root ./usr/bin/mon-agent',
      '-rw-r--r-- root/root ./usr/lib/mon/mon-agent/classic-level.node',
      '-rw-r--r-- root/root ./usr/lib/mon/mon-agent/installation.json',
      '-rw-r--r-- root/root ./usr/lib/mon/mon-agent/mon-agent.js',
      '-rwxr-xr-x root/root ./usr/lib/mon/mon-agent/node',
      '-rw-r--r-- root/root ./usr/lib/mon/mon-agent/package.json',
      '-rw-r--r-- root/root ./usr/lib/systemd/system/mon-agent.service',
      '-rw-r--r-- root/root ./usr/lib/sysusers.d/mon-agent.conf',
      '-rw-r--r-- root/root ./usr/lib/tmpfiles.d/mon-agent.conf',
      '-rw-r--r-- root/root ./usr/share/bash-completion/completions/mon-agent',
      '-rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/mon-agent.fish',
      '-rw-r--r-- root/root ./usr/share/man/man8/mon-agent.8.gz',
      '-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_mon-agent',
    ]);
    expect(rows).toContain('drwxr-x--- root/root ./etc/mon/agent.d/');
    expect(execFileSync('dpkg-deb', ['--info', deb, 'conffiles'], { encoding: 'utf8' })).toBe('/etc/mon/agent.yml\n');
    expect((await readFile(await anAgentPackage())).equals(await readFile(deb))).toBe(true);
  },
);
