import { expect, onTestFinished, test } from 'vitest';
import { loadTmuxBuffer } from '../../../tui/terminal/tmux-buffer.ts';
import { hasTmux, Tmux } from '../../support/tmux.ts';

/** Sets environment variables until the end of the test. */
function setEnv(variables: Readonly<Record<string, string>>): void {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    process.env = before;
  });
}

test.runIf(hasTmux())('a text is loaded unchanged into a buffer of the tmux that runs the program', async () => {
  await using tmux = await Tmux.open({ columns: 80, rows: 24 });
  setEnv({ TMUX: await tmux.terminalProperty('#{socket_path},#{pid},0') });
  const text = "it's $(reboot)\n-w é✗\n";
  await loadTmuxBuffer(text);
  expect(await tmux.buffer()).toBe(text);
});

test('a text for a tmux that does not respond is refused with the message of tmux', async () => {
  setEnv({ TMUX: '/nonexistent/tmux,1,0' });
  await expect(loadTmuxBuffer('x')).rejects.toThrow(/tmux|no such file|error connecting/i);
});

test('a text that is too long for tmux is refused', async () => {
  await expect(loadTmuxBuffer('é'.repeat(1024 * 1024))).rejects.toThrow('longer than 1 MiB');
});
