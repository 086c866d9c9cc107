// A program with a terminal session for `terminal-session.test.ts`. It shows each input event, and certain keys make it
// end in different ways.
import { openTerminalSession } from '../../tui/terminal/terminal-session.ts';
import { waitUntilDrained } from './drained.ts';

let line = 2;

const session = openTerminalSession({
  mouse: true,
  onInput: (event) => {
    show(event.kind === 'key' ? `key ${event.ctrl ? 'ctrl-' : ''}${event.name}` : JSON.stringify(event));
    if (event.kind === 'key' && event.ctrl && event.name === 'y') {
      void session.suspend().then((isStopped) => show(isStopped ? 'was suspended' : 'not suspended'));
    }
    if (event.kind !== 'key' || event.ctrl) return;
    switch (event.name) {
      case 'q':
        session[Symbol.dispose]();
        break;
      case 'e':
        process.exit(3);
        break;
      case 'x':
        throw new Error('deliberate');
      case 'r':
        void Promise.reject(new Error('deliberate too'));
        break;
      case 'z':
        process.kill(process.pid, 'SIGTSTP');
        break;
      case 'm':
        session.setMouse(false);
        break;
      case 'w':
        void stall();
        break;
      default:
    }
  },
  onResume: () => show('resumed'),
});

session.stdout.on('resize', () => show(`size ${String(session.stdout.columns)}x${String(session.stdout.rows)}`));
show(`ready, process ${String(process.pid)}`);

function show(text: string): void {
  session.stdout.writeRaw(`\u001b[${String(line++)};1H${text}\u001b[K`);
}

/** Writes more output than a terminal buffers, and shows how long the event loop was blocked meanwhile. */
async function stall(): Promise<void> {
  let slowestMs = 0;
  let last = performance.now();
  const measure = (): void => {
    const now = performance.now();
    slowestMs = Math.max(slowestMs, now - last);
    last = now;
  };
  const timer = setInterval(measure, 1);
  session.stdout.write(`\u001b[20;1H${'busy '.repeat(100_000)}`);
  await waitUntilDrained(session.stdout);
  clearInterval(timer);
  measure();
  line = 2;
  show(`\u001b[2J\u001b[2;1Hslowest ${slowestMs < 200 ? 'under' : 'over'} 200 ms: ${String(Math.round(slowestMs))}`);
}
