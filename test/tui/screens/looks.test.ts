import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cellWidth } from '../../../tui/terminal/cells.ts';
import {
  FLAPPING_SYMBOL,
  paintText,
  SILENCED_SYMBOL,
  SKINS,
  SEVERITY_STYLES,
  toAscii,
  type Tone,
} from '../../../tui/text/theme.ts';
import { openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { SCENE, SCENE_STATS } from '../../support/console-scene.ts';
import { Screen } from '../../support/screen.ts';
import { COLOR } from '../../support/golden-looks.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'golden', 'screens');
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
const pictureOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const COLORED = NAMES.filter((name) => name.endsWith('-color.txt'));

const STATUS_TONES = ['critical', 'warning', 'unknown', 'ok', 'flapping'] as const satisfies readonly Tone[];

describe('the screens in black and white', () => {
  test.each(NAMES)('every status on the screen %s has its symbol beside its word', (name) => {
    const signs = { CRIT: '✗X', WARN: '!', UNKN: '?' };
    for (const [, sign = '', word = ''] of pictureOf(name).matchAll(/(\S) (CRIT|WARN|UNKN)\b/gu)) {
      expect(signs[word as keyof typeof signs] + SILENCED_SYMBOL + FLAPPING_SYMBOL).toContain(sign);
    }
  });

  test('no two statuses have the same symbol, in Unicode or in ASCII', () => {
    const signs = [...Object.values(SEVERITY_STYLES).map(({ symbol }) => symbol), SILENCED_SYMBOL, FLAPPING_SYMBOL];
    expect(new Set(signs).size).toBe(signs.length);
    expect(new Set(signs.map((sign) => toAscii(sign, cellWidth))).size).toBe(signs.length);
  });

  test.each(COLORED)('the screen %s shows no information by color alone', (name) => {
    const mono = pictureOf(name.replace('-color', '-mono'));
    expect(unstyled(mono)).toBe(unstyled(pictureOf(name)));
    expect(mono).not.toMatch(/⟦[^⟧]*(?:red|green|yellow|blue|magenta|cyan|white|black|#)/);
  });
});

describe('ASCII', () => {
  test.each(NAMES.filter((name) => !name.includes('-color') && !name.includes('-mono')))(
    'every symbol on the screen %s has an ASCII form of its own',
    (name) => {
      const symbols = new Set(pictureOf(name).match(/[^\u0000-\u007F]/gu));
      expect([...symbols].filter((symbol) => toAscii(symbol, cellWidth).includes('?'))).toEqual([]);
    },
  );

  test('the ASCII pictures contain only ASCII', () => {
    const pictures = NAMES.filter((name) => name.endsWith('-ascii.txt'));
    expect(pictures.length).toBeGreaterThan(5);
    expect(pictures.filter((name) => /[^\u0000-\u007F]/.test(pictureOf(name)))).toEqual([]);
  });
});

function unstyled(picture: string): string {
  return picture
    .split('\n')
    .map((line) => line.replaceAll(/⟦[^⟧]*⟧/g, '').trimEnd())
    .join('\n');
}

/** Opens every view and every layer above the views. */
async function seeEverything(rig: ConsoleRig): Promise<void> {
  await rig.stats(SCENE_STATS);
  rig.type(' ');
  for (const view of '1234567') {
    rig.type(view);
    await rig.pass(400);
  }
  rig.type('2');
  await rig.pass(400);
  for (const key of 's?LxoCvcr:/\r') {
    rig.type(key);
    await rig.pass(100);
    rig.escape();
    rig.escape();
    await rig.pass(100);
  }
}

describe('skins', () => {
  test.each([
    { name: 'NO_COLOR', theme: { color: false, ascii: false } },
    { name: 'the skin mono', theme: { color: true, ascii: false, skin: 'mono' as const } },
  ])('the console with $name has no color in any view', async ({ theme }) => {
    const rig = await openRig({ snapshot: SCENE, theme });
    await seeEverything(rig);
    expect(rig.screen.output).not.toMatch(COLOR);
    expect(rig.screen.output).toContain('\u001B[7m');
  });

  test('the console with --ascii writes only ASCII in every view', async () => {
    const rig = await openRig({ snapshot: SCENE, theme: { color: true, ascii: true } });
    await seeEverything(rig);
    expect([...new Set(rig.screen.output.match(/[^\u0000-\u007F]/gu))]).toEqual([]);
  });

  test.each(SKINS.filter((skin) => skin !== 'mono'))(
    'the skin %s distinguishes every status and resets its styles',
    async (skin) => {
      const theme = { color: true, ascii: false, skin };
      const looks = STATUS_TONES.map((tone) => paintText(theme, tone, 'x'));
      expect(new Set(looks.map((look) => look.replace(/^\u001B\[/, ''))).size).toBe(STATUS_TONES.length);
      for (const tone of [...STATUS_TONES, 'alert', 'cursor', 'silenced', 'strong'] as const) {
        const screen = new Screen({ columns: 10, rows: 1 });
        screen.feed(`${paintText(theme, tone, 'x')}y`);
        await screen.settled();
        expect(screen.styledText).toMatch(/^⟦[^⟧]+⟧x⟦⟧y/);
        screen.dispose();
      }
    },
  );

  test('the skin dark uses only the sixteen colors of the terminal', () => {
    const theme = { color: true, ascii: false };
    for (const tone of STATUS_TONES) expect(paintText(theme, tone, 'x')).not.toContain('38;');
  });

  test('the skin is light on a terminal with a light background, unless the user has selected a skin', async () => {
    const rig = await openRig({ snapshot: SCENE });
    const lightBackground = '\u001b]11;rgb:ffff/ffff/ffff\u001b\\';
    rig.type(lightBackground);
    await rig.pass(100);
    expect(rig.screen.styledText).toContain('⟦124 bold⟧✗ CRIT');
    rig.type(':set skin dark\r');
    rig.type(lightBackground);
    await rig.pass(100);
    expect(rig.screen.styledText).toContain('⟦bright-red bold⟧✗ CRIT');
  });

  test('the command :set skin changes the colors of the screen', async () => {
    const rig = await openRig({ snapshot: SCENE });
    rig.type(':set skin deuteranopia\r');
    await rig.pass(100);
    expect(rig.screen.styledText).toContain('⟦208 bold⟧✗ CRIT');
  });
});
