import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default('see its text'),
  dependencies: z.record(z.string(), z.string()).default({}),
});

/** Returns the license texts of all bundled packages as one text, sorted by package name. */
export function licensesText(root: string): string {
  const folders = new Map<string, string>();
  collectDependencies(root, root, folders);
  const texts = [...folders]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, folder]) => oneText(folder));
  return texts.join(`\n${'-'.repeat(78)}\n\n`);
}

/**
 * Collects the transitive dependencies of a package.
 * @param packageFolders is filled with the directory of each dependency of `folder`, by its name and version
 */
function collectDependencies(folder: string, root: string, packageFolders: Map<string, string>): void {
  for (const name of Object.keys(manifestOf(folder).dependencies)) {
    const dependency = resolvePackage(name, folder, root);
    if (dependency === undefined) continue;
    const { version } = manifestOf(dependency);
    const key = `${name} ${version}`;
    if (packageFolders.has(key)) continue;
    packageFolders.set(key, dependency);
    collectDependencies(dependency, root, packageFolders);
  }
}

/**
 * Returns the directory of a package, found as Node.js resolves it; `undefined` if the package is not installed because
 * it is for another platform.
 */
function resolvePackage(name: string, from: string, root: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return from === root ? undefined : resolvePackage(name, dirname(from), root);
}

function oneText(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

function manifestOf(folder: string): z.infer<typeof manifestSchema> {
  return manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}
