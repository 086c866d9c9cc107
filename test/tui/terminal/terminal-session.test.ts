import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Pty, type PtyOptions } from '../../support/pty.ts';

const PROGRAM = join(import.meta.dirname, '../../support/session-program.ts');

/** Starts the program in a shell: the terminal outlives the program, so the test can read its modes. */
async function startInShell(options: PtyOptions = {}) {
  const pty = new Pty('/bin/sh', ['-i'], { ...options, env: { PS1: 'shell> ', NODE: process.execPath, PROGRAM } });
  onTestFinished(async () => void (await pty.close()));
  await pty.waitForText('shell>');
  pty.write('clear; "$NODE" "$PROGRAM"\r');
  await pty.waitForText(/ready, process \d+/);
  return pty;
}

function programOf(pty: Pty): number {
  const pid = Number(/ready, process (\d+)/.exec(pty.screen.text)?.[1]);
  expect(pid).toBeGreaterThan(0);
  return pid;
}

/** Returns the exit status that the shell reports. */
async function statusInShell(pty: Pty): Promise<string | undefined> {
  await pty.waitForText(/shell>\s*$/);
  pty.write('echo "status=$?"\r');
  await pty.waitForText(/^status=\d+$/m);
  return /^status=(\d+)$/m.exec(pty.screen.text)?.[1];
}

const CLEAN = {
  lineEditor: 'echo icanon isig',
  alternate: false,
  cursorHidden: false,
  paste: false,
  focus: false,
  mouse: false,
  synchronized: false,
};

/** Returns the modes of the terminal once the shell has it again, as the system and the screen report them. */
async function modesInShell(pty: Pty): Promise<unknown> {
  await pty.waitForText(/shell>\s*$/);
  pty.write(
    'clear; echo "=$(stty -a | tr -d ";" | tr " " "\\n" | grep -x -e "-*icanon" -e "-*echo" -e "-*isig" | sort | tr "\\n" " ")="\r',
  );
  await pty.waitForText(/^=[-a-z ]+=$/m);
  const [, lineEditor = ''] = /^=([-a-z ]+) =$/m.exec(pty.screen.text) ?? [];
  return { lineEditor, ...pty.screen.modes };
}

test('the console uses the alternate screen of the terminal with paste, focus and mouse reports', async () => {
  const pty = await startInShell();
  expect(pty.screen.modes).toEqual({
    alternate: true,
    cursorHidden: true,
    paste: true,
    focus: true,
    mouse: true,
    synchronized: false,
  });
  pty.write('\u0003\u001a\u001b[1;5A\u001b[200~two\rlines\u001b[201~\u001b[Im');
  await pty.waitForText('key ctrl-c');
  await pty.waitForText('key ctrl-z');
  await pty.waitForText('key ctrl-up');
  await pty.waitForText(String.raw`{"kind":"paste","text":"two\nlines","truncated":false}`);
  await pty.waitForText('{"kind":"focus","focused":true}');
  await pty.waitForText('key m');
  await pty.waitFor(() => !pty.screen.modes.mouse, 'the mouse to be given back');
  pty.resize(90, 30);
  await pty.waitForText('size 90x30');
});

describe('the restored terminal', () => {
  test.each([
    ['at the end', 'q', '0', 'shell>'],
    ['after process.exit', 'e', '3', 'shell>'],
    ['after a crash, which is reported where it can be read', 'x', '1', 'Error: deliberate'],
    ['after an unhandled promise rejection', 'r', '1', 'Error: deliberate too'],
  ])('the terminal is restored %s', async (_rule, key, status, shows) => {
    const pty = await startInShell();
    pty.write(key);
    await pty.waitForText(shows);
    expect(await statusInShell(pty)).toBe(status);
    expect(await modesInShell(pty)).toEqual(CLEAN);
  });

  test.each([
    ['SIGTERM', '143'],
    ['SIGINT', '130'],
    ['SIGHUP', '129'],
  ] as const)('the terminal is restored after %s, which ends the program', async (signal, status) => {
    const pty = await startInShell();
    process.kill(programOf(pty), signal);
    expect(await statusInShell(pty)).toBe(status);
    expect(await modesInShell(pty)).toEqual(CLEAN);
  });

  test('the terminal is restored while the console is stopped by a signal, and used again when the console continues', async () => {
    const pty = await startInShell();
    const pid = programOf(pty);
    pty.write('z');
    expect(await modesInShell(pty)).toEqual(CLEAN);
    pty.resize(100, 40);
    pty.write('fg\r');
    await pty.waitForText('resumed');
    await pty.waitForText('size 100x40');
    expect(pty.screen.modes).toMatchObject({ alternate: true, paste: true, focus: true, mouse: true });
    pty.write('\u0003');
    await pty.waitForText('key ctrl-c');

    process.kill(pid, 'SIGTSTP');
    expect(await modesInShell(pty)).toEqual(CLEAN);
    pty.write('fg\r');
    await pty.waitForText('resumed');
    pty.write('q');
    await pty.waitForText(/shell>\s*$/);
    expect(await modesInShell(pty)).toEqual(CLEAN);
  });

  test('the terminal is restored while the console is suspended, and used again after fg, any number of times', async () => {
    const pty = await startInShell();
    for (let round = 0; round < 2; round += 1) {
      pty.write('\u0019');
      expect(await modesInShell(pty)).toEqual(CLEAN);
      pty.write('fg\r');
      await pty.waitForText('was suspended');
      expect(pty.screen.modes).toMatchObject({ alternate: true, paste: true, focus: true, mouse: true });
    }
    pty.write('q');
    expect(await statusInShell(pty)).toBe('0');
    expect(await modesInShell(pty)).toEqual(CLEAN);
  });
});

test('a console that no shell could continue is not suspended and keeps its terminal', async () => {
  const pty = new Pty(process.execPath, [PROGRAM]);
  onTestFinished(async () => void (await pty.close()));
  await pty.waitForText(/ready, process \d+/);
  pty.write('\u0019');
  await pty.waitForText('not suspended');
  expect(pty.screen.modes).toMatchObject({ alternate: true, paste: true, focus: true, mouse: true });
  pty.write('j');
  await pty.waitForText('key j');
});

test('a terminal that accepts no output does not block the event loop of the console', async () => {
  const pty = await startInShell({ columns: 80, rows: 24 });
  pty.stall();
  pty.write('w');
  await new Promise((resolve) => setTimeout(resolve, 500));
  pty.flow();
  await pty.waitForText('slowest');
  expect(pty.screen.text).toContain('slowest under 200 ms');
});

test('the console without a terminal exits with a clear error', () => {
  const { stderr, status } = spawnSync(process.execPath, [PROGRAM], { encoding: 'utf8' });
  expect(stderr).toContain('the console needs a terminal for its input and output');
  expect(status).toBe(1);
});
