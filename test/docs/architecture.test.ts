import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

const PAGE = repositoryText('docs/architecture.md');

/** What stands in backticks. */
function named(text: string): readonly string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
}

/** The rows of the tables of a section, cell by cell, without their heads. */
function rowsOf(title: string): readonly (readonly string[])[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const rows = Array.from(section.matchAll(/^\|(.+)\|$/gm), ([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
  return rows.filter((row, at) => !row[0]?.startsWith('-') && !rows[at + 1]?.[0]?.startsWith('-'));
}

const ROOMS = new Map(
  rowsOf('Rooms').map(([folder = '', , imports = '']) => [named(folder)[0] ?? folder, imports] as const),
);

describe('the rooms', () => {
  test('are the folders of the tree', () => {
    const files = globSync('{shared,daemon,tui}/**/*.{ts,tsx}', {
      cwd: REPOSITORY,
      exclude: ['**/dist/**', '**/node_modules/**'],
    });
    const folders = new Set(files.map((file) => dirname(file)));
    for (const folder of folders) if (folder.includes('/')) folders.add(dirname(folder));
    expect([...ROOMS.keys()].toSorted()).toEqual([...folders].toSorted());
  });

  test('may import what their projects refer to', () => {
    const projects = repositoryFiles('{shared,daemon,tui}/**/tsconfig.json');
    const references = Array.from(projects, ([path, text]) => {
      const { references: list } = JSON.parse(text) as { readonly references: readonly { readonly path: string }[] };
      const folder = dirname(path);
      return [folder, list.map((one) => relative(REPOSITORY, join(REPOSITORY, folder, one.path)))] as const;
    });
    const said = [...ROOMS].filter(([, imports]) => imports !== '').map(([room, imports]) => [room, named(imports)]);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(references));
  });
});

describe('where a feature is', () => {
  const features = rowsOf('Where a feature is').map((row) => row.map((cell) => named(cell).at(-1) ?? cell));

  test('is said of many', () => {
    expect(features.length).toBeGreaterThan(20);
  });

  test.each(features)('%s: %s has %s, which %s asks', (_what, file = '', name = '', asker = '') => {
    const names = new RegExp(`\\b${name}\\b`);
    expect(repositoryText(file)).toMatch(names);
    expect(repositoryText(asker)).toMatch(names);
  });
});

describe.each(['The life of a result', 'The life of a key press'])('%s', (title) => {
  const steps = rowsOf(title).map(([number, file = '', , shape = '']) => ({
    number,
    file: named(file)[0] ?? '',
    shape: named(shape)[0] ?? '',
  }));

  test('goes from step to step', () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, at) => String(at + 1)));
    expect(steps.filter(({ shape }) => shape === '')).toEqual([]);
  });

  test.each(steps)('$number: $file knows $shape', ({ file, shape }) => {
    expect(repositoryText(file)).toMatch(new RegExp(`\\b${shape}\\b`));
  });
});

test('every file that the page names is there', () => {
  const files = named(PAGE).filter((name) => /^(?:shared|daemon|tui|test)\/.*\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => globSync(file, { cwd: REPOSITORY }).length === 0)).toEqual([]);
});
