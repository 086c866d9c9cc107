/** @module-tag slow */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeEarlierStore } from '../../scripts/fixtures/earlier-store.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { openDebianContainer, type DebianContainer } from '../support/debian-container.ts';
import { REPOSITORY, repositoryText } from '../support/repository.ts';

const PACKAGES = ['mon-backend', 'mon-agent', 'mon-cli'] as const;
const DAEMONS = ['mon-backend', 'mon-agent'] as const;
/** A package version that is lower than any real one. */
const BEFORE = '0.0.1';
const FOLDER = '/var/tmp/packages';
const LONG_MS = 600_000;
const POLL = { timeout: 60_000, interval: 500 };
/** Paths that the system itself changes while packages are installed and removed. */
const OF_THE_SYSTEM = /^\/(?:dev|proc|run|sys|tmp|var\/(?:cache|lib\/dpkg|lib\/systemd|log|tmp))(?:\/|$)|^\/root\//;

// These tests need root, systemd-nspawn and a Debian root (see CONTRIBUTING.md), so vitest.config.ts excludes them from
// the suite.
describe('packages in a Debian under its own systemd', { timeout: LONG_MS }, () => {
  let made: string;
  let debian: DebianContainer;
  let pristine: readonly string[];
  const run = async (line: string): Promise<string> => await debian.run(line);
  const install = async (version: string, names: readonly string[] = PACKAGES): Promise<string> =>
    await run(`cd ${FOLDER} && dpkg --install ${names.map((name) => `${name}_${version}_*.deb`).join(' ')}`);
  const stateOf = async (unit: string): Promise<string> => await run(`systemctl is-active ${unit} || true`);
  const pidOf = async (unit: string): Promise<string> => await run(`systemctl show --value -p MainPID ${unit}`);
  /** Returns the status, client and check of all results except keepalives; these do not change over time. */
  const results = async (): Promise<string> =>
    await run(`monctl result list | awk '$3 != "keepalive" { print $1, $2, $3 }'`);
  const filesOfAll = async (): Promise<readonly string[]> =>
    (await run('find / -xdev')).split('\n').filter((path) => !OF_THE_SYSTEM.test(path));

  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'mon-packages-'));
    for (const version of [BEFORE, VERSION]) {
      const options = ['--out', made, '--version', version, '--only', `${PACKAGES.join(',')},tar`, '--uncompressed'];
      await promisify(execFile)(process.execPath, ['scripts/package.ts', ...options], { cwd: REPOSITORY });
    }
    debian = await openDebianContainer();
    pristine = await filesOfAll();
    await mkdir(join(debian.root, FOLDER));
    for (const file of await readdir(made)) await copyFile(join(made, file), join(debian.root, FOLDER, file));
  }, LONG_MS);

  afterAll(async () => {
    await debian[Symbol.asyncDispose]();
    await rm(made, { recursive: true, force: true });
  }, LONG_MS);

  test('three packages yield a first result within a minute, with a separate user for each daemon', async () => {
    await install(BEFORE);
    expect(await Promise.all(DAEMONS.map(stateOf))).toEqual(['active', 'active']);
    await vi.waitFor(async () => expect(await run('monctl result list')).toMatch(/^OK .* disk /m), POLL);
    expect(await run('ps -o user:20=,args= -C mon-backend,mon-agent')).toMatch(
      /^mon +mon-backend\nmon-agent +mon-agent$/,
    );
    expect(await run('systemctl show --value -p StatusText mon-backend')).toBe('serving at http://127.0.0.1:4567');
    expect(await run('stat -c "%U %a" /var/lib/mon/mon-backend /var/lib/mon-agent')).toBe('mon 700\nmon-agent 700');
    expect(await run('stat -c "%U:%G %a" /etc/mon/backend.yml /etc/mon/agent.yml')).toBe(
      'root:mon 640\nroot:mon-agent 640',
    );
  });

  test.each(DAEMONS)('the unit of %s is valid and has an exposure of less than 3 of 10', async (name) => {
    expect(await run(`systemd-analyze verify ${name}.service`)).toBe('');
    const security = await run(`systemd-analyze security --no-pager ${name}.service`);
    const exposure = /exposure level for \S+: ([\d.]+)/.exec(security)?.[1];
    console.log(`${name}: exposure ${String(exposure)}`);
    expect(Number(exposure)).toBeLessThan(3);
  });

  test('the manual pages open, and the shells complete the commands', async () => {
    for (const name of ['mon', 'monctl', ...DAEMONS]) {
      expect(await run(`MANPAGER=cat MANWIDTH=80 man ${name}`)).toMatch(/^NAME\n +mon/m);
      expect(await run(`LC_ALL=C.UTF-8 man --warnings ${name} >/dev/null`)).toBe('');
    }
    const bash = `. /usr/share/bash-completion/completions/mon-backend; COMP_WORDS=(mon-backend up); COMP_CWORD=1; _mon_backend`;
    expect(await run(`${bash}; echo "\${COMPREPLY[*]}"`)).toBe('upgrade');
    expect(await run(`fish -c 'complete -C "mon-agent --max"'`)).toMatch(/^--max-checks\t/);
    expect(await run(`zsh -fc 'autoload -U compinit; compinit -u -D; echo $_comps[mon-backend] $_comps[monctl]'`)).toBe(
      '_mon-backend _monctl',
    );
  });

  test('a reload of a daemon with an invalid configuration fails and keeps the current configuration', async () => {
    await writeFile(join(debian.root, 'etc/mon/conf.d/wrong.yml'), 'checks: { ping: { interval: never } }\n');
    await expect(run('systemctl reload mon-backend')).rejects.toThrow(/failed/);
    expect(await stateOf('mon-backend')).toBe('active');
    await run('rm /etc/mon/conf.d/wrong.yml && systemctl reload mon-backend mon-agent');
    await vi.waitFor(async () => expect(await run('journalctl -u mon-agent')).toMatch(/reloading the configuration/));
  });

  test('a hanging daemon is restarted by the watchdog', async () => {
    await run(`mkdir -p /run/systemd/system/mon-agent.service.d
      printf '[Service]\\nWatchdogSec=3\\n' >/run/systemd/system/mon-agent.service.d/soon.conf
      systemctl daemon-reload; systemctl restart mon-agent`);
    const pid = await pidOf('mon-agent');
    await run('sleep 7');
    expect(await pidOf('mon-agent')).toBe(pid);
    await run(`kill -STOP ${pid}`);
    await vi.waitFor(async () => {
      expect(await pidOf('mon-agent')).not.toMatch(new RegExp(`^(?:0|${pid})$`));
      expect(await stateOf('mon-agent')).toBe('active');
    }, POLL);
    await run('rm -r /run/systemd/system/mon-agent.service.d; systemctl daemon-reload; systemctl restart mon-agent');
  });

  test('a package upgrade keeps configuration and data, restarts running daemons and leaves stopped daemons stopped', async () => {
    await run(`echo 'log-level: debug' >>/etc/mon/backend.yml`);
    await run(`monctl silence create --client web-1 --reason kept --expire 1d`);
    await run('systemctl stop mon-agent');
    const pid = await pidOf('mon-backend');
    await install(VERSION);
    expect(await run("dpkg-query -W -f '${Version} ' mon-backend mon-agent mon-cli")).toBe(
      `${VERSION} ${VERSION} ${VERSION}`,
    );
    expect(await run('tail -n 1 /etc/mon/backend.yml')).toBe('log-level: debug');
    expect(await run('monctl silence list')).toMatch(/kept/);
    expect(await pidOf('mon-backend')).not.toBe(pid);
    expect([await stateOf('mon-backend'), await stateOf('mon-agent')]).toEqual(['active', 'inactive']);
    await run('systemctl start mon-agent');
  });

  test('a package upgrade makes a backup before a schema migration, and the previous version can be restored from it', async () => {
    await run('systemctl stop mon-backend mon-agent; mv /var/lib/mon/mon-backend /var/lib/mon/kept');
    await install(BEFORE);
    const earlier = join(debian.root, 'var/lib/mon/mon-backend');
    await mkdir(earlier, { recursive: true });
    await writeEarlierStore(earlier, { schema: 2, clients: 30, checksEach: 10 });
    await run('chown -R mon:mon /var/lib/mon/mon-backend; systemctl start mon-backend');
    const before = await results();
    expect(before.split('\n').length).toBeGreaterThan(30);

    expect(await install(VERSION)).toMatch(/successfully upgraded database/);
    expect(await stateOf('mon-backend')).toBe('active');
    expect(await results()).toBe(before);
    expect(await run('runuser -u mon -- mon-backend upgrade --dry-run')).toMatch(/schema 4 and is up to date/);
    const backups = await run('ls /var/lib/mon/mon-backend/backups');
    expect(backups).toMatch(/^\S+-schema-2$/);

    const told = await install(BEFORE);
    expect(told).toContain(`mon-backend restore-backup /var/lib/mon/mon-backend/backups/${backups}`);
    const commands = told.split('\n').filter((line) => line.startsWith('  '));
    expect(commands).toHaveLength(3);
    for (const command of commands) await run(command.replace('restore-backup', 'restore-backup --skip-confirm'));
    expect(await run('runuser -u mon -- mon-backend upgrade --dry-run')).toMatch(/schema 2/);
    expect(await results()).toBe(before);

    await install(VERSION);
    await run(`systemctl stop mon-backend; rm -r /var/lib/mon/mon-backend; mv /var/lib/mon/kept /var/lib/mon/mon-backend
      systemctl start mon-backend mon-agent`);
  });

  test('a removal of the packages keeps configuration and data, and a new installation uses them', async () => {
    await run(`dpkg --remove ${PACKAGES.join(' ')}`);
    expect(await run('ls /etc/mon')).toBe('agent.yml\nbackend.yml');
    expect(await run('ls /var/lib/mon/mon-backend/CURRENT')).toMatch(/CURRENT/);
    expect(await run('ls -d /usr/lib/mon /usr/bin/mon* 2>/dev/null || true')).toBe('');
    await install(VERSION);
    expect(await run('monctl silence list')).toMatch(/kept/);
    expect(await run('tail -n 1 /etc/mon/backend.yml')).toBe('log-level: debug');
  });

  test('a purge of the packages removes every file', async () => {
    await run(`dpkg --purge ${PACKAGES.join(' ')}`);
    expect(await filesOfAll()).toEqual(pristine);
    expect(
      await run(
        'find /var/lib /var/log /run /tmp /var/tmp -path "*mon-[abc]*" -o -name mon | grep -v packages || true',
      ),
    ).toBe('');
    expect(await run('getent passwd mon mon-agent; getent group mon mon-agent; true')).toBe('');
    expect(
      await run(
        'systemctl list-units --all --no-legend "mon-*"; systemctl list-unit-files --no-legend "mon-*" || true',
      ),
    ).toBe('');
  });

  test('a backend from the archive, set up as documented, serves from the directory of the archive', async () => {
    const chapter = repositoryText('docs/install.md')
      .split('\n## ')
      .find((text) => text.startsWith('The archive'));
    const commands = /```sh\n(.*?)```/s.exec(chapter ?? '')?.[1] ?? '';
    await run(`set -e; cd ${FOLDER}; ${commands}`);
    await vi.waitFor(async () => expect(await run('monctl result list')).toMatch(/^OK .* disk /m), POLL);
    expect(await run('systemctl show --value -p ExecStart mon-backend')).toContain('path=/opt/mon/bin/mon-backend');
  });

  test('an installed backend does not start beside a store in the former state directory and says what to do', async () => {
    await run('systemctl stop mon-backend; mv /var/lib/mon/mon-backend/* /var/lib/mon/');
    await expect(run('systemctl start mon-backend')).rejects.toThrow(/failed/);
    const told = await run('journalctl -u mon-backend -n 5 -o cat');
    expect(told).toMatch(/move it there, or add this line to \/etc\/mon\/backend.yml\n +state-dir: \/var\/lib\/mon$/m);
    await run('cd /var/lib/mon; mv *[A-Z0-9]* *.json mon-backend/ 2>/dev/null; systemctl start mon-backend');
  });
});
