// Writes pictures of the console to docs/images: each screen below, in three terminal sizes, as PNG in color. The
// console shows a running backend, by default that of `./scripts/start --demo`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleTerminal } from './bench/console-terminal.ts';
import { readArguments } from './lib/read-arguments.ts';
import { DARK_COLORS, LIGHT_COLORS, svgPicture } from './lib/terminal-picture.ts';

const USAGE_TEXT = `usage: node scripts/print-pictures.ts [--backend URL] [--to FOLDER] [--skin SKIN] [--only NAME]

  --backend URL  backend to show (default: http://127.0.0.1:4567)
  --to FOLDER    folder for the pictures (default: docs/images)
  --skin SKIN    color scheme (default: dark)
  --only NAME    only this screen, such as overview

Needs the Debian packages librsvg2-bin, pngquant and fonts-dejavu-core, and a built dist (npm run build).`;

/** A screen that is drawn in each size. */
interface PicturedScreen {
  /** The keys that open it from the list of events. */
  readonly keys: readonly string[];
  /** A text that it contains. */
  readonly shows: RegExp;
  /** Minimum width of the terminal in columns; default: any. */
  readonly columnsMin?: number;
}

const PICTURED_SCREENS: Readonly<Record<string, PicturedScreen>> = {
  overview: { keys: ['1'], shows: /PROBLEMS BY SUBSCRIPTION/ },
  events: { keys: ['j', 'j'], shows: /CRIT[^]*OUTPUT|OUTPUT[^]*CRIT/ },
  'events-folded': { keys: ['F', '\r'], shows: /▸/ },
  split: { keys: [':set pane beside\r'], shows: /│ *output|output   /i, columnsMin: 120 },
  detail: { keys: ['\r'], shows: /output/i },
  values: { keys: ['/check=disk\r', 'M'], shows: /duration/i },
  incident: { keys: ['i'], shows: /incident/i },
};

const TERMINAL_SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
];

/** Time in milliseconds until loaded data is on the screen, after its frame. */
const LOADING_MS = 3000;

/** Maximum number of colors in a picture, which keeps its file small. */
const COLORS_MAX = 48;

const { backend, to, skin, only } = readArguments(
  {
    options: {
      backend: { type: 'string', default: 'http://127.0.0.1:4567' },
      to: { type: 'string', default: join('docs', 'images') },
      skin: { type: 'string', default: 'dark' },
      only: { type: 'string' },
    },
  },
  USAGE_TEXT,
).values;

mkdirSync(to, { recursive: true });
for (const [name, { keys, shows, columnsMin = 0 }] of Object.entries(PICTURED_SCREENS)) {
  if (only !== undefined && only !== name) continue;
  for (const size of TERMINAL_SIZES) {
    if (size.columns < columnsMin) continue;
    await using terminal = new ConsoleTerminal(backend, size, { programArguments: ['--skin', skin] });
    await terminal.until((screen) => screen.includes('LIVE') && screen.includes('CRIT'));
    for (const key of keys) {
      terminal.write(key);
      await delay(LOADING_MS / keys.length);
    }
    await terminal.until((screen) => shows.test(screen));
    const svg = svgPicture(terminal.terminal, skin === 'light' ? LIGHT_COLORS : DARK_COLORS);
    const suffix = skin === 'dark' ? '' : `-${skin}`;
    const file = join(to, `${name}-${String(size.columns)}x${String(size.rows)}${suffix}.png`);
    writeFileSync(file, pngOf(svg));
    console.log(file);
  }
}

function pngOf(svg: string): Buffer {
  const picture = execFileSync('rsvg-convert', ['--format', 'png'], { input: svg });
  return execFileSync('pngquant', ['--nofs', '--strip', String(COLORS_MAX), '-'], { input: picture });
}
