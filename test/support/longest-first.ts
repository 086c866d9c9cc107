import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What starts programs takes longest, however short its file is: begun last, it would keep one worker busy beside two idle ones. */
const STARTS_PROGRAMS = /^test\/(?:conformance|docs|scenarios|scripts|soak)\//;

/** Those of `shared` are many and short, so that no worker is left alone at the end. */
const PROJECTS = ['daemon', 'tui', 'shared'];

/** Files that take long before those that do not, as far as their place and their size tell. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = files.map((file) => ({ file, rank: rankOf(file), bytes: statSync(file.moduleId).size }));
    const inOrder = places.toSorted((a, b) => a.rank - b.rank || b.bytes - a.bytes);
    return Promise.resolve(inOrder.map(({ file }) => file));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  const isLong = STARTS_PROGRAMS.test(relative(project.config.root, moduleId));
  return 2 * PROJECTS.indexOf(project.name) + (isLong ? 0 : 1);
}
