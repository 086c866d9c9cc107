/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../support/built-programs.ts';
import { Pty } from '../support/pty.ts';
import { startSceneBackend } from '../support/real-console.ts';
import { tempDir } from '../support/temp-dir.ts';

const F6 = '\u001B[17~';

/** Starts the console in a shell, with one own command on the key F6. */
async function startWith(command: string): Promise<Pty> {
  const backend = await startSceneBackend();
  const config = join(await tempDir(), 'console.yml');
  await writeFile(config, `commands: { mine: { key: f6, ${command} } }\n`);
  const pty = new Pty('/bin/sh', ['-i'], { env: { PS1: 'shell> ', USER: 'alice' } });
  onTestFinished(async () => void (await pty.close()));
  await pty.waitForText('shell>');
  pty.write(`clear; '${process.execPath}' '${builtProgram('mon')}' --backend ${backend.url} --config '${config}'\r`);
  await pty.waitForText('12 of 12 events shown');
  return pty;
}

describe('a command that gets the terminal', () => {
  test('the program reads the keys of the user, and the console then draws its screen again', async () => {
    const pty = await startWith(
      `run: [sh, -c, 'echo "on $1"; read line; echo "got $line"; read x', sh, '{{client.name}}']`,
    );
    pty.write(F6);
    await pty.waitForText('on db-014.eu-west-1');
    expect(pty.screen.modes).toMatchObject({ alternate: false, paste: false });
    pty.write('qjs\r');
    await pty.waitForText('got qjs');
    pty.write('\r');
    await pty.waitForText('mine done');
    expect(pty.screen.text).toContain('12 of 12 events shown');
    expect(pty.screen.modes).toMatchObject({ alternate: true, paste: true, cursorHidden: true });
    pty.write('q');
    await pty.waitForText(/shell>\s*$/);
  });

  test('Ctrl-C ends the program and not the console, which shows how it ended', async () => {
    const pty = await startWith(`run: [sh, -c, 'echo ready; sleep 60']`);
    pty.write(F6);
    await pty.waitForText('ready');
    pty.write('\u0003');
    await pty.waitForText('mine was ended by SIGINT');
    expect(pty.screen.text).toContain('12 of 12 events shown');
  });

  test('the console waits for Enter after a program if the command says so', async () => {
    const pty = await startWith(`wait: true, run: [sh, -c, 'echo finished; exit 4']`);
    pty.write(F6);
    await pty.waitForText('Press Enter to return to the console');
    expect(pty.screen.text).toContain('finished');
    pty.write('\r');
    await pty.waitForText('mine failed with exit code 4');
  });
});

test('Ctrl-Z returns to the shell, and fg draws the console again with the changes since', async () => {
  const pty = await startWith(`run: ['true']`);
  pty.write('\u001A');
  await pty.waitForText(/shell>\s*$/);
  expect(pty.screen.modes).toMatchObject({ alternate: false, paste: false, focus: false });
  pty.write('echo still here\r');
  await pty.waitForText(/^still here$/m);
  pty.write('fg\r');
  await pty.waitForText('12 of 12 events shown');
  expect(pty.screen.text).toContain('LIVE');
  pty.write('j');
  await pty.waitForText(/^> .*web-003/m);
  pty.write('q');
  await pty.waitForText(/shell>\s*$/);
});
