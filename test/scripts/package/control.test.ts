import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  controlText,
  debianChangelog,
  md5sumsText,
  movableStarterText,
  scriptText,
  starterText,
} from '../../../scripts/package/control.ts';
import { installationsOf, PACKAGES, type Package } from '../../../scripts/package/packages.ts';
import { REPOSITORY, repositoryText } from '../../support/repository.ts';

const RELEASE = { version: '1.2.3', architecture: 'amd64', maintainer: 'mon <mon@localhost>' } as const;

function packageNamed(name: string): Package {
  const found = PACKAGES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no package ${name}`);
  return found;
}

test('the control file describes the package and its dependencies', () => {
  expect(controlText(packageNamed('mon-cli'), RELEASE, 4711)).toBe(`Package: mon-cli
Version: 1.2.3
Architecture: amd64
Maintainer: mon <mon@localhost>
Installed-Size: 4711
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 5)
Section: net
Priority: optional
Description: console and command-line tool of the mon monitoring
 mon is a full-screen console with a live list of events; monctl does single
 things, for scripts. Both speak to a mon-backend, on this machine or another.
`);
});

test('the checksums of a package are sorted by path', () => {
  const sums = new Map([
    ['usr/bin/mon', 'b'.repeat(32)],
    ['usr/bin/a', 'a'.repeat(32)],
  ]);
  expect(md5sumsText(sums)).toBe(`${'a'.repeat(32)}  usr/bin/a\n${'b'.repeat(32)}  usr/bin/mon\n`);
});

test('the changelog of a package has the Debian format', () => {
  expect(debianChangelog(packageNamed('mon-cli'), RELEASE, 0)).toBe(
    'mon-cli (1.2.3) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- mon <mon@localhost>  Thu, 01 Jan 1970 00:00:00 +0000\n',
  );
});

describe('the maintainer scripts of the packages', () => {
  const folder = join(REPOSITORY, 'scripts/package');
  const pieces = ['daemon', 'mon-backend', 'mon-cli'].flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => /^(?:pre|post)(?:inst|rm)$/.test(file))
      .map((file) => `${name}/${file}`),
  );

  test.each(pieces)('the maintainer script %s is valid shell with defined variables', (piece) => {
    const name = piece.startsWith('mon-cli') ? 'mon-cli' : 'mon-backend';
    // The parts in `daemon` are common to all daemons; they are checked with the variables of the backend.
    const script = scriptText(packageNamed(name), '1.2.3', [repositoryText(`scripts/package/${piece}`)]);
    execFileSync('sh', ['-n'], { input: script });
    expect(script).toMatch(/^#!\/bin\/sh\nset -eu\n/);
  });

  test('a maintainer script defines only the variables that it uses, with quoted values', () => {
    const pack = { ...packageNamed('mon-cli'), name: "it's $(not)" };
    const script = scriptText(pack, '1.2.3', ['printf "%s" "$package"']);
    expect(script).not.toContain('version=');
    expect(execFileSync('sh', { input: script, encoding: 'utf8' })).toBe("it's $(not)");
  });
});

describe('the starter of a program', () => {
  test('the starter of a package runs the Node.js of the package', () => {
    expect(starterText('/usr/lib/mon/mon-cli', 'mon.js', '--flag=1')).toBe(
      '#!/bin/sh\nexec /usr/lib/mon/mon-cli/node --flag=1 /usr/lib/mon/mon-cli/mon.js "$@"\n',
    );
  });

  test('the starter of the archive finds its Node.js wherever the archive is unpacked', () => {
    expect(movableStarterText('mon.js', undefined)).toBe(
      '#!/bin/sh\nlib=$(dirname "$(dirname "$(readlink -f "$0")")")/lib\nexec "$lib"/node "$lib"/mon.js "$@"\n',
    );
  });
});

test('the files and units of a package name exactly the paths of the installation', () => {
  expect(installationsOf(PACKAGES)).toEqual({
    'mon-backend': {
      config: '/etc/mon/backend.yml',
      directory: '/etc/mon/conf.d',
      stateDir: '/var/lib/mon/mon-backend',
      formerStateDir: '/var/lib/mon',
    },
    'mon-agent': { config: '/etc/mon/agent.yml', directory: '/etc/mon/agent.d', stateDir: '/var/lib/mon-agent' },
  });
  for (const { name, service } of PACKAGES) {
    if (service === undefined) continue;
    const unit = repositoryText(`scripts/package/${name}/${name}.service`);
    expect(unit).toContain(`\nUser=${service.user}\n`);
    expect(unit).toContain(`\nStateDirectory=${service.state.slice('/var/lib/'.length)}\n`);
    expect(unit).toContain(`\nExecStart=/usr/bin/${name} start\n`);
    expect(repositoryText(`scripts/package/${name}/tmpfiles.conf`)).toContain(
      `d ${service.state} 0700 ${service.user} `,
    );
    expect(repositoryText(`scripts/package/${name}/sysusers.conf`)).toMatch(new RegExp(`^u ${service.user} - `));
  }
});

test.each(['mon-backend', 'mon-agent'])(
  'the unit of %s has a watchdog, does not restart on wrong usage, and is sandboxed',
  (name) => {
    const unit = repositoryText(`scripts/package/${name}/${name}.service`);
    const wanted = [
      'Type=notify',
      'NotifyAccess=all',
      'WatchdogSec=2min',
      'Restart=on-failure',
      'RestartPreventExitStatus=2',
    ];
    const closed = [
      'CapabilityBoundingSet=',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'SystemCallFilter=@system-service',
    ];
    for (const line of [...wanted, ...closed]) expect(unit).toContain(`\n${line}\n`);
  },
);
