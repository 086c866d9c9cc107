import { execFile } from 'node:child_process';

/** Maximum length of a text for tmux in bytes. */
const TEXT_MAX = 1024 * 1024;

/** Milliseconds after which a tmux that does not respond is killed. */
const TIMEOUT_MS = 3000;

/**
 * Loads a text into a new buffer of the tmux in which the console runs. With `-w`, tmux also sends it to the clipboard
 * of the terminal outside, whatever its option `set-clipboard` says about programs.
 *
 * @throws Error with the message of tmux
 */
export async function loadTmuxBuffer(text: string): Promise<void> {
  if (Buffer.byteLength(text) > TEXT_MAX) throw new Error('the text is longer than 1 MiB');
  try {
    await runTmux(['load-buffer', '-w', '-'], text);
  } catch {
    // tmux before 3.2 has no `-w`.
    await runTmux(['load-buffer', '-'], text);
  }
}

function runTmux(args: readonly string[], input: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile('tmux', args, { timeout: TIMEOUT_MS }, (error, _output, problem) => {
      if (error === null) return resolve();
      const [firstLine = ''] = problem.split('\n');
      reject(firstLine === '' ? error : new Error(firstLine));
    });
    // A tmux that exits early does not read its input; its exit is reported instead.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
