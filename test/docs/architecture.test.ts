import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

const PAGE = repositoryText('docs/architecture.md');

/** Returns the texts in backticks. */
function named(text: string): readonly string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
}

/** Returns the list items of a section, each with its nested items. */
function itemsOf(title: string): readonly string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const items = section.split(/^(?=(?:-|\d+\.) )/m).slice(1);
  return items.map((item) => item.split('\n\n')[0] ?? '');
}

/**
 * The folders of the page, with the text of their allowed imports. An empty text: the folder is part of the project
 * above.
 */
const FOLDERS = new Map(
  itemsOf('Folders')
    .filter((item) => /^- `(?:shared|daemon|tui)\b/.test(item))
    .map((item) => [named(item)[0] ?? '', item.split('May import:')[1] ?? ''] as const),
);

describe('the folders on the architecture page', () => {
  test('the page names every folder of the source tree', () => {
    const files = globSync('{shared,daemon,tui}/**/*.{ts,tsx}', {
      cwd: REPOSITORY,
      exclude: ['**/dist/**', '**/node_modules/**'],
    });
    const folders = new Set(files.map((file) => dirname(file)));
    for (const folder of folders) if (folder.includes('/')) folders.add(dirname(folder));
    expect([...FOLDERS.keys()].toSorted()).toEqual([...folders].toSorted());
  });

  test('the imports of each folder are the references of its TypeScript project', () => {
    const projects = repositoryFiles('{shared,daemon,tui}/**/tsconfig.json');
    const references = Array.from(projects, ([path, text]) => {
      const { references: list } = JSON.parse(text) as { readonly references: readonly { readonly path: string }[] };
      const folder = dirname(path);
      return [folder, list.map((one) => relative(REPOSITORY, join(REPOSITORY, folder, one.path)))] as const;
    });
    const documented = [...FOLDERS].filter(([, imports]) => imports !== '');
    expect(Object.fromEntries(documented.map(([folder, imports]) => [folder, named(imports)]))).toEqual(
      Object.fromEntries(references),
    );
  });
});

describe('the features on the architecture page', () => {
  const features = itemsOf('Where to find a feature').map((item) => named(item).slice(-3));

  test('the page lists more than 20 features', () => {
    expect(features.length).toBeGreaterThan(20);
  });

  test.each(features)('the feature %s is in %s and is called in %s', (name = '', file = '', caller = '') => {
    const names = new RegExp(`\\b${name}\\b`);
    expect(repositoryText(file)).toMatch(names);
    expect(repositoryText(caller)).toMatch(names);
  });
});

describe.each(['The life of a result', 'The life of a key press'])('%s', (title) => {
  const steps = itemsOf(title).map((item) => {
    const [, number = '', file = '', shape = ''] = /^(\d+)\. `([^`]+)` \(`([^`]+)`\): /.exec(item) ?? [];
    return { number, file, shape };
  });

  test('the steps are numbered without gaps, and each names a file and a type or function', () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, at) => String(at + 1)));
    expect(steps.filter(({ shape }) => shape === '')).toEqual([]);
  });

  test.each(steps)('step $number: $file contains $shape', ({ file, shape }) => {
    expect(repositoryText(file)).toMatch(new RegExp(`\\b${shape}\\b`));
  });
});

test('every file that the architecture page names exists', () => {
  const files = named(PAGE).filter((name) => /^(?:shared|daemon|tui|test)\/.*\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => globSync(file, { cwd: REPOSITORY }).length === 0)).toEqual([]);
});
