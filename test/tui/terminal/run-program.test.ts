import { expect, test } from 'vitest';
import { runInBackground } from '../../../tui/terminal/run-program.ts';

test('a program in the background gets its arguments unchanged, and its last line is its output', async () => {
  const script = 'console.log("first"); console.log(JSON.stringify(process.argv.slice(1)));';
  const outcome = await runInBackground([process.execPath, '-e', script, '--', '$(reboot) `id`', '*', "'"]);
  expect(outcome).toEqual({ kind: 'exited', code: 0, output: JSON.stringify(['$(reboot) `id`', '*', "'"]) });
});

test('a program in the background has no input, and its exit code and error are reported', async () => {
  const script =
    'process.stdin.on("data", () => {}).on("end", () => { console.error("no ticket"); process.exit(3); });';
  expect(await runInBackground([process.execPath, '-e', script])).toEqual({
    kind: 'exited',
    code: 3,
    output: 'no ticket',
  });
});

test('a program in the background that is killed or cannot be started is reported', async () => {
  expect(await runInBackground([process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")'])).toEqual({
    kind: 'killed',
    signal: 'SIGKILL',
    output: '',
  });
  expect(await runInBackground(['/nonexistent/program'])).toMatchObject({
    kind: 'not-started',
    problem: expect.stringContaining('ENOENT'),
  });
});

test('a program in the background has ended even if it leaves another one behind that keeps the output open', async () => {
  const script =
    'const left = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); left.unref(); console.log(left.pid);';
  const outcome = await runInBackground([process.execPath, '-e', script]);
  expect(outcome).toMatchObject({ kind: 'exited', code: 0, output: expect.stringMatching(/^\d+$/) });
  // The process that was left behind goes on.
  expect(process.kill(Number(outcome.output), 'SIGTERM')).toBe(true);
});
