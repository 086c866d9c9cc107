import { quoteForShell } from '../../shared/domain/command-text.ts';
import type { Package } from './packages.ts';

/** The metadata shared by all packages of one build. */
export interface Release {
  readonly version: string;
  /** The processor architecture in Debian's notation. */
  readonly architecture: 'amd64' | 'arm64';
  readonly maintainer: string;
}

/** Returns the text of the Debian file `control` of a package. */
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

/** Returns the Debian changelog. It has one entry, which refers to the real changelog. */
export function debianChangelog({ name }: Package, { version, maintainer }: Release, dateS: number): string {
  const date = new Date(dateS * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- ${maintainer}  ${date}\n`;
}

/**
 * Returns a maintainer script: variable assignments for the values that its parts use, followed by the parts.
 *
 * @param pieces the parts, as shell code
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
  return [
    '#!/bin/sh',
    'set -eu',
    ...used.map(([variable, value]) => `${variable}=${quoteForShell(value)}`),
    '',
    text,
  ].join('\n');
}

/**
 * Returns the launcher script of a program. It runs the Node.js of the package with the program's flags, and so does
 * not depend on the PATH.
 */
export function starterText(folder: string, file: string, nodeFlags: string | undefined): string {
  const flags = nodeFlags === undefined ? '' : ` ${nodeFlags}`;
  return `#!/bin/sh\nexec ${folder}/node${flags} ${folder}/${file} "$@"\n`;
}

/**
 * Returns a launcher script that works wherever the archive is unpacked: it finds `lib` beside its own directory `bin`.
 */
export function movableStarterText(file: string, nodeFlags: string | undefined): string {
  return starterText('"$lib"', file, nodeFlags).replace(
    '\nexec',
    '\nlib=$(dirname "$(dirname "$(readlink -f "$0")")")/lib\nexec',
  );
}

/**
 * Returns the text of the Debian file `md5sums`.
 *
 * @param sums MD5 checksums by the path in the package
 */
export function md5sumsText(sums: ReadonlyMap<string, string>): string {
  const rows = [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return rows.map(([path, sum]) => `${sum}  ${path}\n`).join('');
}
