/** @module-tag slow */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../shared/client/api-client.ts';
import type { Backend } from '../../daemon/backend/compose.ts';
import { earlierStore } from '../support/earlier-stores.ts';
import { openBackend } from '../support/open-backend.ts';
import { runMonctl } from '../support/run-monctl.ts';
import { programArguments } from '../support/built-programs.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Both pages about upgrades. The commands of the second one continue with the backend of the first one. */
const DOCUMENT = ['docs/sensu-upgrades.md', 'docs/upgrading.md']
  .map((page) => readFileSync(join(ROOT, page), 'utf8'))
  .join('\n');
const execute = promisify(execFile);

interface Documented {
  /** Heading of the section that contains the command. */
  readonly section: string;
  readonly command: string;
}

/** Returns the shell commands of the document, in order. */
function commandsOf(text: string): readonly Documented[] {
  const commands: Documented[] = [];
  let section = '';
  let isCommand = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCommand = line === '```sh';
    else if (isCommand) commands.push({ section, command: line });
    else if (line.startsWith('#')) section = line.replace(/^#+ /, '');
  }
  return commands;
}

/** Commands whose exit code is not 0, or whose question gets an answer other than yes. */
const EXPECTED: Readonly<Record<string, { readonly code?: number; readonly answer?: string }>> = {
  'monctl upgrade check --from 6.1.0 --to 6.5.0': { code: 10 },
  'monctl upgrade plan --from 6.1.0 --to 6.5.0': { code: 10 },
  'monctl upgrade check --offline --dump mon-dump.yml --from 6.1.0 --to 6.5.0 --key-value-store external': { code: 10 },
  // A separate test covers the steps of this command, so the run is canceled.
  'monctl upgrade run --from 6.1.0 --to 6.5.0': { code: 7, answer: 'q' },
};

/** Titles of the sections whose commands need a stopped backend. */
const STOPPED: ReadonlySet<string> = new Set(['Upgrade a stopped backend', 'Roll back']);

test('every command of docs/sensu-upgrades.md and docs/upgrading.md does what it says, one after the other', async () => {
  const dir = await earlierStore({ schema: 2, checks: { gone: ['db'] } });
  let backend: Backend | undefined = await openBackend({ dir });
  onTestFinished(() => backend?.stop());
  await openApiClient({ backend: backend.url }).saveStash({ path: 'silence/web-9', content: {} });

  const commands = commandsOf(DOCUMENT);
  expect(commands.length).toBeGreaterThan(15);
  for (const { section, command } of commands) {
    if (STOPPED.has(section)) {
      await backend?.stop();
      backend = undefined;
    }
    const [program, ...args] = (await withTestPlaces(command, dir, backend?.url)).match(/'[^']*'|\S+/g) ?? [];
    const words = args.map((word) => word.replaceAll("'", ''));
    const { code = 0, answer = 'y' } = EXPECTED[command] ?? {};
    const run =
      program === 'monctl'
        ? await runMonctl(words, { MON_BACKEND: backend?.url ?? '' }, { answer })
        : await runBackendProgram(words);
    expect({ command, ...run }).toMatchObject({ command, code });
  }
});

/** Returns a documented command with its example URL, directory and backup replaced by those of this test. */
async function withTestPlaces(command: string, dir: string, url = ''): Promise<string> {
  const backups = await readdir(join(dir, 'backups')).catch(() => []);
  const [backup = ''] = backups.toSorted((a, b) => (a < b ? 1 : -1));
  return command
    .replace(/\d{8}T\d{6}\.\d{3}Z-schema-\d/, backup)
    .replaceAll('/var/lib/mon/mon-backend', dir)
    .replace('http://127.0.0.1:4567', url)
    .replaceAll('mon-dump.yml', join(dir, 'mon-dump.yml'));
}

/** Runs `mon-backend` and answers its question with yes. */
async function runBackendProgram(
  words: readonly string[],
): Promise<{ readonly code: number; readonly stderr: string }> {
  const running = execute(process.execPath, [...programArguments('mon-backend'), ...words]);
  running.child.stdin?.end('y\n');
  const { stderr } = await running.catch((error: unknown) => error as { readonly stderr: string });
  return { code: running.child.exitCode ?? -1, stderr };
}
