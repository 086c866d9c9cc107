import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { REPOSITORY, repositoryText } from '../support/repository.ts';
import { tempDir } from '../support/temp-dir.ts';

const SCRIPT = join(REPOSITORY, 'scripts/commit-msg');
const TITLE = 'results: keep occurrences on resolve';

/** An environment without the settings of the user, and without the variables that git sets for hooks. */
const ENV = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@localhost',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@localhost',
};

/** Checks a commit message in a file that is outside of any repository. */
async function checkMessage(message: string): Promise<SpawnSyncReturns<string>> {
  const file = join(await tempDir(), 'message');
  await writeFile(file, message);
  return spawnSync(SCRIPT, [file], { encoding: 'utf8', env: ENV, cwd: '/' });
}

test.each([
  { what: 'a title with an area', message: TITLE },
  { what: 'a title with an area of two words', message: 'mon API: rename attributes of the report' },
  { what: 'a title with a path as its area', message: 'test/support: remove temporary directories' },
  { what: 'a title of 72 characters', message: `store: ${'x'.repeat(65)}` },
  {
    what: 'a title of 72 characters that need several bytes each',
    message: `store: ${'é'.repeat(60)}${'…'.repeat(5)}`,
  },
  { what: 'a body after a blank line', message: `${TITLE}\n\nThe history was cut.\n\nIt is complete now.` },
  { what: 'a body line of 100 characters', message: `${TITLE}\n\n${'é'.repeat(100)}` },
  { what: 'a long line with a link', message: `${TITLE}\n\nSee https://example.org/${'x'.repeat(100)}` },
  { what: 'a long indented line', message: `${TITLE}\n\n    ${'output '.repeat(20)}` },
  { what: 'the title of a merge', message: "Merge branch 'groups' into main" },
  { what: 'a revert with a long title', message: `Revert "store: ${'x'.repeat(65)}"\n\nThis reverts commit 1234567.` },
  { what: 'a fixup', message: `fixup! store: ${'x'.repeat(65)}` },
  { what: 'a squash', message: `squash! ${TITLE}\n\nMore.` },
  { what: 'an amendment', message: `amend! ${TITLE}\n\n${TITLE}` },
  { what: 'comments of any length', message: `${TITLE}\n# ${'x '.repeat(100)}\n` },
  { what: 'blank lines before the title', message: `\n\n${TITLE}\n` },
  {
    what: 'the diff that git commit --verbose appends',
    message: `${TITLE}\n\n# ${'-'.repeat(24)} >8 ${'-'.repeat(24)}\n+${' x'.repeat(100)}\n`,
  },
  { what: 'an empty message, which git itself rejects', message: '\n# comment\n' },
])('the commit message check accepts $what', async ({ message }) => {
  expect(await checkMessage(message)).toMatchObject({ stdout: '', stderr: '', status: 0 });
});

test.each([
  { what: 'a title without an area', message: 'keep occurrences on resolve', problem: 'begin with its area' },
  { what: 'an area without a title', message: 'results:', problem: 'begin with its area' },
  { what: 'a sentence before the colon', message: 'Fix this old bug: done', problem: 'begin with its area' },
  { what: 'no space after the area', message: 'results:keep occurrences', problem: 'begin with its area' },
  { what: 'a title of 73 characters', message: `store: ${'é'.repeat(66)}`, problem: 'the title has 73 characters' },
  {
    what: 'a body without a blank line',
    message: `${TITLE}\nbecause it was lost`,
    problem: 'second line is not blank',
  },
  { what: 'a wide body line', message: `${TITLE}\n\n${'a '.repeat(50)}b`, problem: 'line 3 has 101 characters' },
])('the commit message check rejects $what', async ({ message, problem }) => {
  const { stdout, stderr, status } = await checkMessage(message);
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  expect(stderr).toContain(problem);
  expect(stderr).toMatch(/^commit-msg: .*\ncommit-msg: correct the message with: git commit --edit --file='\/.*'\n$/);
});

test('the commit message check reports all problems of a message at once', async () => {
  const { stderr } = await checkMessage(`${'x'.repeat(80)}\n${'y'.repeat(120)}`);
  expect(stderr.match(/^commit-msg: (?:the title|the second line|line 2) /gm)).toHaveLength(4);
});

test('the commit message check without a readable file prints its usage', () => {
  for (const args of [[], ['/nonexistent']]) {
    const { stderr, status } = spawnSync(SCRIPT, args, { encoding: 'utf8', env: ENV });
    expect(stderr).toMatch(/^usage: scripts\/commit-msg FILE/);
    expect(status).toBe(2);
  }
});

describe('a clone in which the commit hook of CONTRIBUTING.md is set up', () => {
  const git = (args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync('git', args, { encoding: 'utf8', env: ENV, cwd: clone });
  const commit = (message: string): SpawnSyncReturns<string> =>
    git(['commit', '--quiet', '--allow-empty', '--message', message]);
  let clone: string;

  beforeEach(async () => {
    clone = await tempDir();
    await mkdir(join(clone, 'scripts'));
    await copyFile(SCRIPT, join(clone, 'scripts/commit-msg'));
    git(['init', '--quiet']);
    const [, words = ''] = /^git (config core\.hooksPath .*)$/m.exec(repositoryText('CONTRIBUTING.md')) ?? [];
    git(words.split(' '));
  });

  test('git accepts a correct commit message and rejects a wrong message, which stays in a file', () => {
    expect(commit(TITLE)).toMatchObject({ status: 0, stderr: '' });
    const { stderr, status } = commit('no area');
    expect(status).toBe(1);
    expect(stderr).toContain(`git commit --edit --file='${clone}/.git/COMMIT_EDITMSG'`);
    expect(git(['log', '--format=%s']).stdout).toBe(`${TITLE}\n`);
  });

  test('the hook accepts the titles that git writes for a revert, a merge and a fixup', async () => {
    commit(TITLE);
    git(['branch', 'other']);
    await writeFile(join(clone, 'changed'), 'x');
    git(['add', 'changed']);
    const changes = [
      commit(`store: ${'x'.repeat(65)}`),
      git(['commit', '--quiet', '--allow-empty', '--fixup=HEAD']),
      git(['revert', '--no-edit', 'HEAD~1']),
      git(['switch', '--quiet', 'other']),
      commit(TITLE),
      git(['merge', '--no-edit', '--no-ff', '-']),
    ];
    expect(changes.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(git(['log', '-1', '--format=%s']).stdout).toMatch(/^Merge branch '/);
  });

  test('the hook ignores comments with the comment character that the clone has configured', async () => {
    git(['config', 'core.commentChar', ';']);
    await writeFile(join(clone, 'message'), `${TITLE}\n; ${'x '.repeat(100)}\n`);
    expect(spawnSync(SCRIPT, ['message'], { env: ENV, cwd: clone }).status).toBe(0);
  });
});
