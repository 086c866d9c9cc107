import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

const PAGE = repositoryText('docs/architecture.md');

const SOURCES = globSync('{shared,daemon,tui}/**/*.{ts,tsx}', {
  cwd: REPOSITORY,
  exclude: ['**/dist/**', '**/node_modules/**'],
});

/** The settings in a `tsconfig.json` that select the files of a TypeScript project. */
interface ProjectFiles {
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The TypeScript projects, by their folder. */
const PROJECTS = new Map(
  Array.from(repositoryFiles('{shared,daemon,tui}/**/tsconfig.json'), ([path, text]) => [
    dirname(path),
    JSON.parse(text) as ProjectFiles,
  ]),
);

/** Returns the texts in backquotes. */
function backquotedTexts(text: string): readonly string[] {
  return Array.from(text.matchAll(/`([^`\n]+)`/g), ([, name = '']) => name);
}

/** Returns the list items of a section, each including its nested items. */
function itemsOf(title: string): readonly string[] {
  const section = PAGE.split(/^##+ /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const items = section.split(/^(?=(?:-|\d+\.) )/m).slice(1);
  return items.map((item) => item.split('\n\n')[0] ?? '');
}

/**
 * Returns the folders that a list item names: the first name in backquotes, and its sub-folders, whose names begin with
 * a slash.
 */
function foldersOf(item: string): readonly string[] {
  const [folder = '', ...names] = backquotedTexts(item);
  return [folder, ...names.filter((name) => name.startsWith('/')).map((name) => folder + name)];
}

/**
 * Returns the full path of a file that the page names. Without a top-level folder, the file is in the folder of the
 * backend.
 */
function pathOf(file: string): string {
  return /^(?:shared|daemon|tui)\//.test(file) ? file : `daemon/backend/${file}`;
}

/**
 * Returns the project that contains a source file: the nearest folder with a `tsconfig.json`; `undefined` if there is
 * none.
 */
function projectOf(file: string): string | undefined {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) if (PROJECTS.has(folder)) return folder;
  return undefined;
}

test('the architecture page has at most 300 lines', () => {
  expect(PAGE.trimEnd().split('\n').length).toBeLessThanOrEqual(300);
});

test('the architecture page names every folder of the source tree exactly once', () => {
  const folders = new Set(SOURCES.map((file) => dirname(file)));
  for (const folder of folders) if (folder.includes('/')) folders.add(dirname(folder));
  expect(itemsOf('Folders').flatMap(foldersOf).toSorted()).toEqual([...folders].toSorted());
});

/**
 * The projects whose files are not exactly those in their folder, with the reason. No other project may list files,
 * because the folders show which files belong to a project.
 */
const EXCEPTIONS: Readonly<Record<string, ProjectFiles>> = {
  // The errors are used by the schemas and all other projects, and the folder `shared` itself is not a project.
  'shared/schemas': { include: ['**/*.ts', '../errors.ts'] },
  // The ports of the backend belong to the store, the lowest project that uses or implements them.
  'daemon/backend/store': { include: ['**/*.ts', '../ports.ts'] },
  // Every sub-folder is a project of its own, and the ports belong to the store.
  'daemon/backend': { include: ['*.ts'], exclude: ['ports.ts'] },
};

/** Returns the files of a project that contains its whole folder except for nested projects. */
function wholeFolder(folder: string): ProjectFiles {
  const nested = [...PROJECTS.keys()].filter((other) => other.startsWith(`${folder}/`));
  const outermost = nested.filter((one) => !nested.some((other) => one.startsWith(`${other}/`)));
  return {
    include: folder.split('/')[0] === 'tui' ? ['**/*.ts', '**/*.tsx'] : ['**/*.ts'],
    exclude: outermost.map((path) => path.slice(folder.length + 1)),
  };
}

describe('the TypeScript projects', () => {
  const projects = Array.from(PROJECTS, ([folder, config]) => ({
    folder,
    config,
    expected: EXCEPTIONS[folder] ?? wholeFolder(folder),
  }));

  test.each(projects)('the TypeScript project $folder contains its whole folder without nested projects', (project) => {
    const { config, expected } = project;
    expect(config.files).toBeUndefined();
    expect(config.include).toEqual(expected.include);
    expect(new Set(config.exclude)).toEqual(new Set(expected.exclude));
  });

  test('every source file except shared/errors.ts is in the folder of a TypeScript project', () => {
    expect(SOURCES.filter((file) => projectOf(file) === undefined)).toEqual(['shared/errors.ts']);
  });

  test('every file below daemon/backend is in the folder of a nested TypeScript project', () => {
    const own = SOURCES.filter((file) => projectOf(file) === 'daemon/backend');
    expect(own.filter((file) => dirname(file) !== 'daemon/backend')).toEqual([]);
  });

  test('every folder in the list of exceptions of this test is a TypeScript project', () => {
    expect(Object.keys(EXCEPTIONS).filter((folder) => !PROJECTS.has(folder))).toEqual([]);
  });
});

describe('the features on the architecture page', () => {
  const features = itemsOf('Where to find a feature').map((item) => backquotedTexts(item).slice(-3));

  test('the architecture page lists more than 20 features', () => {
    expect(features.length).toBeGreaterThan(20);
  });

  test.each(features)(
    'the feature %s is defined in %s and used in %s, as the architecture page says',
    (name = '', file = '', user = '') => {
      const names = new RegExp(`\\b${name}\\b`);
      expect(repositoryText(pathOf(file))).toMatch(names);
      expect(repositoryText(pathOf(user))).toMatch(names);
    },
  );
});

describe.each(['The life of a result', 'The life of a key press'])('%s', (title) => {
  const steps = itemsOf(title).map((item) => {
    const [, number = '', file = '', shape = ''] = /^(\d+)\. `([^`]+)` \(`([^`]+)`\): /.exec(item) ?? [];
    return { number, file, shape };
  });

  test('the steps on the architecture page are numbered without gaps, and each names a file and a type or function', () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, at) => String(at + 1)));
    expect(steps.filter(({ shape }) => shape === '')).toEqual([]);
  });

  test.each(steps)(
    'step $number on the architecture page is right: the file $file contains $shape',
    ({ file, shape }) => {
      expect(repositoryText(file)).toMatch(new RegExp(`\\b${shape}\\b`));
    },
  );
});

test('every file that the architecture page names exists', () => {
  const files = backquotedTexts(PAGE).filter((name) => /^(?:shared|daemon|tui|test)\/.*\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([]);
});
