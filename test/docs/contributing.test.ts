import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

const PAGE = repositoryText('CONTRIBUTING.md');

/** Test files that may pause for a fixed or random time, with the reason. */
const PAUSING = new Map([
  ['test/daemon/backend/agents/revoked-keys.test.ts', 'nothing more is stored'],
  ['test/daemon/backend/cluster/forwarded-requests.test.ts', 'a password changes after the time of a credential'],
  ['test/daemon/backend/health/watch-stalls.test.ts', 'a stall is measured between two pauses'],
  ['test/scenarios/console-terminal.test.ts', 'the terminal takes nothing for a while'],
  ['test/shared/client/feed-cuts.test.ts', 'connections are cut at moments left to chance'],
  ['test/tui/terminal/terminal-session.test.ts', 'nothing more is written'],
]);

test('every test folder has the same path as a folder of the source tree', () => {
  const folders = new Set([...repositoryFiles('{shared,daemon,tui}/**/*.{ts,tsx}').keys()].flatMap(foldersOf));
  const tested = [...repositoryFiles('test/{shared,daemon,tui}/**/*.{ts,tsx}').keys()].map((name) =>
    dirname(name.slice('test/'.length)),
  );
  expect(tested.length).toBeGreaterThan(300);
  expect(tested.filter((folder) => !folders.has(folder))).toEqual([]);
});

test('only the test files in the list of this test wait for a fixed time', () => {
  const files = repositoryFiles('test/{daemon,scenarios,scripts,shared,tui}/**/*.test.{ts,tsx}');
  const pausing = [...files].filter(([, text]) => /setTimeout as |setTimeout\(resolve/.test(text));
  expect(pausing.map(([name]) => name)).toEqual([...PAUSING.keys()]);
});

test('every file and folder that CONTRIBUTING.md names exists', () => {
  const paths = /`((?:shared|daemon|tui|test|scripts|docs|scenarios|soak)\/[\w./*-]+)`/g;
  const named = Array.from(PAGE.matchAll(paths), ([, name = '']) => name).filter((name) => !name.includes('*'));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => ![name, `test/${name}`].some((path) => existsSync(join(REPOSITORY, path))))).toEqual(
    [],
  );
});

test('CONTRIBUTING.md lists every soak test by its name', () => {
  const [, list = ''] = /`npm run soak -- (kill --rounds 200` \(or [^)]+)\)/.exec(PAGE) ?? [];
  const soaks = [...repositoryFiles('test/soak/*.test.ts').keys()].map((path) => basename(path, '.test.ts'));
  expect(list.match(/[a-z][\w-]*(?=`| --)/g)?.toSorted()).toEqual(soaks.toSorted());
});

function foldersOf(name: string): readonly string[] {
  const folder = dirname(name);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
