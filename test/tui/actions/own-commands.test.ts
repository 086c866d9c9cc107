import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { eventOf, openRig, type ConsoleRig, type RigOptions } from '../../support/console-rig.ts';
import { SCENE, SCENE_EVENTS } from '../../support/console-scene.ts';
import type { OwnCommand } from '../../../tui/state/own-command.ts';

const F5 = '\u001B[15~';
const F6 = '\u001B[17~';

/** Prints the arguments after the script as JSON. */
const PRINT = 'console.log(JSON.stringify(process.argv.slice(1)))';

function command(change: Partial<OwnCommand> & Pick<OwnCommand, 'name'>): OwnCommand {
  return {
    key: 'f5',
    description: 'print the arguments',
    subjects: ['event', 'client', 'check'],
    when: '',
    words: [process.execPath, '-e', PRINT, '--', '{{client.name}}'],
    isBackground: true,
    isReadOnly: false,
    isWaiting: false,
    ...change,
  };
}

const api: NonNullable<RigOptions['api']> = ({ path }) => {
  const row = SCENE_EVENTS.find(({ client, check }) => path === `/events/${client}/${check}`);
  if (row === undefined) return { status: 404 };
  return { status: 200, body: eventOf(row, { output: '$(reboot) `id`\n-x', ticket: 'OPS-7' }) };
};

async function openWith(
  ownCommands: readonly OwnCommand[],
  options: Omit<RigOptions, 'parts'> = {},
): Promise<ConsoleRig> {
  return openRig({ snapshot: SCENE, api, ...options, parts: { ownCommands } });
}

describe('a command of the user', () => {
  test('a command runs with attributes of the event under the cursor, and no shell parses them', async () => {
    const words = [process.execPath, '-e', PRINT, '--', '{{client.name}}', 'ticket {{check.ticket}}: {{check.output}}'];
    const rig = await openWith([command({ name: 'show', words: words as [string, ...string[]] })]);
    rig.type(`j${F5}`);
    await rig.shows('show done: ["web-003.eu-west-1","ticket OPS-7: $(reboot) `id` -x"]');
    expect(rig.screen.text).toContain('show done: ["web-003.eu-west-1","ticket OPS-7: $(reboot) `id` -x"]');
  });

  test('a command is offered in the help, in the menu of actions, on the command line and in the palette', async () => {
    const rig = await openWith([command({ name: 'show' })]);
    rig.type('?');
    await rig.shows('Own commands', /F5 +show: print the arguments/);
    rig.type('q:sho\t\r');
    await rig.shows('show done: ["db-014.eu-west-1"]');
    rig.type('jx');
    await rig.shows(/show: print the arguments +F5/);
    rig.type('show: print\r');
    await rig.shows('show done: ["web-003.eu-west-1"]');
    rig.type('j\u0010show print');
    await rig.shows(/action +show +print the arguments/);
    rig.type('\r');
    await rig.shows('show done: ["web-007.eu-west-1"]');
    expect(rig.screen.text).toContain('show done: ["web-007.eu-west-1"]');
  });

  test('a command that fails shows its exit code and the last line of its output', async () => {
    const words = [process.execPath, '-e', 'console.error("first\\nno such host"); process.exit(7)'] as const;
    const rig = await openWith([command({ name: 'show', words })]);
    rig.type(F5);
    await rig.shows('show failed with exit code 7: no such host');
    const missing = await openWith([command({ name: 'gone', words: ['/nonexistent/program'] })]);
    missing.type(F5);
    await missing.shows('gone could not be started: spawn /nonexistent/program ENOENT');
    expect(missing.screen.text).toContain('gone could not be started: spawn /nonexistent/program ENOENT');
  });

  test('a command with a condition runs only on objects that match it', async () => {
    const rig = await openWith([command({ name: 'show', when: 'status=warn' })]);
    rig.type(F5);
    await rig.shows('show does not run on db-014.eu-west-1/postgres-repl: it needs status=warn');
    rig.type(`/disk-root\r${F5}`);
    await rig.shows('show done: ["web-02');
    expect(rig.screen.text).toContain('show done: ["web-02');
  });

  test('a command without a value for an attribute does not run and says which one is missing', async () => {
    const rig = await openWith([command({ name: 'show', words: ['/bin/false', '{{client.rack}}'] })]);
    rig.type(F5);
    await rig.shows('show not run: there is no client.rack');
    expect(rig.screen.text).toContain('show not run: there is no client.rack');
  });

  test('a command runs on one row, and only on the kinds of objects that it names', async () => {
    const rig = await openWith([
      command({ name: 'show' }),
      command({ name: 'check', key: 'f6', subjects: ['check'], words: ['/bin/true'] }),
    ]);
    rig.type(` ${F5}`);
    await rig.shows('show: it runs on one row: A clears the marks');
    rig.type(F6);
    await rig.pass(100);
    expect(rig.screen.text).not.toContain('check started');
    rig.type(':check\r');
    await rig.shows('there is no command "check"');
  });

  test('a read-only console runs only commands that change nothing', async () => {
    const rig = await openWith([command({ name: 'show' }), command({ name: 'look', key: 'f6', isReadOnly: true })]);
    rig.type(`!${F5}`);
    await rig.shows('show is disabled: the console is locked, ! unlocks it');
    rig.type(F6);
    await rig.shows('look done: ["db-014.eu-west-1"]');
    expect(rig.screen.text).toContain('look done: ["db-014.eu-west-1"]');
  });

  test('a command uses the attributes of the list while the backend does not respond', async () => {
    const rig = await openWith([command({ name: 'show' })], {
      api: () => ({ status: 503, body: { message: 'busy' } }),
    });
    rig.type(F5);
    await rig.shows('show done: ["db-014.eu-west-1"]');
    expect(rig.screen.text).toContain('show done: ["db-014.eu-west-1"]');
  });

  test('a command that needs the terminal says so if the console has none to give', async () => {
    const rig = await openWith([command({ name: 'shell', isBackground: false })]);
    rig.type(F5);
    await rig.shows('shell not run: there is no terminal for it');
    expect(rig.screen.text).toContain('shell not run: there is no terminal for it');
  });

  test('the console runs at most four commands in the background at a time', async () => {
    const held = join(await tempDir(), 'held');
    await writeFile(held, '');
    const script = 'setInterval(() => { if (!require("fs").existsSync(process.argv[1])) process.exit(); }, 20)';
    const rig = await openWith([command({ name: 'wait', words: [process.execPath, '-e', script, held] })]);
    for (let count = 0; count < 5; count += 1) {
      rig.type(F5);
      await rig.pass(10);
    }
    await rig.shows('wait not run: 4 commands are running, wait for one of them');
    await rm(held);
    await rig.shows('wait done');
    expect(rig.screen.text).toContain('wait done');
  });
});
