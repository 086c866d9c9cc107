import { quoted } from '../../shared/domain/command-text.ts';
import type { Package } from './packages.ts';

/** Of one build. */
export interface Release {
  readonly version: string;
  /** As Debian calls it. */
  readonly architecture: 'amd64' | 'arm64';
  readonly maintainer: string;
}

/** The file `control`. */
export function controlText(
  { name, summary, description, debianSection, depends }: Package,
  { version, architecture, maintainer }: Release,
  installedKib: number,
): string {
  return [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${String(installedKib)}`,
    `Depends: ${depends.join(', ')}`,
    `Section: ${debianSection}`,
    'Priority: optional',
    `Description: ${summary}`,
    ...description.map((line) => ` ${line}`),
    '',
  ].join('\n');
}

/** The changes as Debian writes them down: what is new in the packages themselves. */
export function debianChangelog({ name }: Package, { version, maintainer }: Release, dateS: number): string {
  const date = new Date(dateS * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- ${maintainer}  ${date}\n`;
}

/**
 * A script of the package system: the pieces one after the other, which find what they are about in variables.
 *
 * @param pieces each of them shell
 */
export function scriptText({ name, service }: Package, version: string, pieces: readonly string[]): string {
  const variables = {
    package: name,
    version,
    ...(service === undefined
      ? {}
      : {
          user: service.user,
          state: service.state,
          config: service.config,
          definitions: service.definitions,
          data: service.data.join(' '),
        }),
  };
  const text = pieces.join('\n');
  const used = Object.entries(variables).filter(([variable]) => new RegExp(`\\$${variable}\\b`).test(text));
  return ['#!/bin/sh', 'set -eu', ...used.map(([variable, value]) => `${variable}=${quoted(value)}`), '', text].join(
    '\n',
  );
}

/** What starts a program: its Node.js with the flags that the program wants, and nothing of the PATH. */
export function starterText(folder: string, file: string, nodeFlags: string | undefined): string {
  const flags = nodeFlags === undefined ? '' : ` ${nodeFlags}`;
  return `#!/bin/sh\nexec ${folder}/node${flags} ${folder}/${file} "$@"\n`;
}

/** The starter in a folder that may be anywhere: `bin` and `lib` are beside each other. */
export function movableStarterText(file: string, nodeFlags: string | undefined): string {
  return starterText('"$lib"', file, nodeFlags).replace(
    '\nexec',
    '\nlib=$(dirname "$(dirname "$(readlink -f "$0")")")/lib\nexec',
  );
}

/** The file `md5sums`, by the path in the package. */
export function md5sumsText(sums: ReadonlyMap<string, string>): string {
  const rows = [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return rows.map(([path, sum]) => `${sum}  ${path}\n`).join('');
}
