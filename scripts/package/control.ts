import { quoted } from '../../shared/domain/command-text.ts';
import type { Package } from './packages.ts';

/** The data of one build. */
export interface Release {
  readonly version: string;
  /** The architecture in Debian's notation. */
  readonly architecture: 'amd64' | 'arm64';
  readonly maintainer: string;
}

/** Returns the text of the file `control`. */
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

/** Returns the Debian changelog, for changes of the packages themselves. */
export function debianChangelog({ name }: Package, { version, maintainer }: Release, dateS: number): string {
  const date = new Date(dateS * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- ${maintainer}  ${date}\n`;
}

/**
 * Returns a maintainer script: its parts in sequence, which get their parameters from variables.
 *
 * @param pieces shell code
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

/** Returns the starter of a program: its own Node.js with the program's flags, independent of the PATH. */
export function starterText(folder: string, file: string, nodeFlags: string | undefined): string {
  const flags = nodeFlags === undefined ? '' : ` ${nodeFlags}`;
  return `#!/bin/sh\nexec ${folder}/node${flags} ${folder}/${file} "$@"\n`;
}

/** Returns a relocatable starter: `bin` and `lib` are in the same directory. */
export function movableStarterText(file: string, nodeFlags: string | undefined): string {
  return starterText('"$lib"', file, nodeFlags).replace(
    '\nexec',
    '\nlib=$(dirname "$(dirname "$(readlink -f "$0")")")/lib\nexec',
  );
}

/** Returns the file `md5sums`, by the path in the package. */
export function md5sumsText(sums: ReadonlyMap<string, string>): string {
  const rows = [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return rows.map(([path, sum]) => `${sum}  ${path}\n`).join('');
}
