import { expect, test } from 'vitest';
import { DEFAULT_ARGUMENTS } from '../../../tui/config/arguments.ts';
import { settingsOf } from '../../../tui/config/appearance-settings.ts';

const DEFAULTS = {
  theme: { color: true, ascii: false },
  mouse: false,
  attention: { bell: true, notify: false, mutedUntilMs: 0 },
};

test('the default appearance settings of the console are colors, the bell and no mouse', () => {
  expect(settingsOf(DEFAULT_ARGUMENTS, {}, {})).toEqual(DEFAULTS);
});

test('the configuration file overrides the default appearance settings', () => {
  const config = { skin: 'light', ascii: true, mouse: true, bell: false, notify: true } as const;
  expect(settingsOf(DEFAULT_ARGUMENTS, config, {})).toEqual({
    theme: { color: true, ascii: true, skin: 'light' },
    mouse: true,
    attention: { bell: false, notify: true, mutedUntilMs: 0 },
  });
});

test('the command line overrides the appearance settings of the configuration file', () => {
  const given = { ...DEFAULT_ARGUMENTS, skin: 'dark', ascii: false, mouse: false, bell: true, notify: false } as const;
  const config = { skin: 'light', ascii: true, mouse: true, bell: false, notify: true } as const;
  expect(settingsOf(given, config, {})).toEqual({ ...DEFAULTS, theme: { ...DEFAULTS.theme, skin: 'dark' } });
});

test.each([
  { env: { NO_COLOR: '1' }, color: false },
  { env: { NO_COLOR: '' }, color: true },
  { env: { TERM: 'dumb' }, color: false },
])('the environment $env sets the use of colors to $color for every skin', ({ env, color }) => {
  expect(settingsOf({ ...DEFAULT_ARGUMENTS, skin: 'tritanopia' }, {}, env).theme.color).toBe(color);
});

test.each([
  { COLORFGBG: '0;15', skin: 'light' },
  { COLORFGBG: '0;default;7', skin: 'light' },
  { COLORFGBG: '15;0', skin: undefined },
  { COLORFGBG: '15;8', skin: undefined },
  { COLORFGBG: '', skin: undefined },
])('the default skin is $skin if the environment variable COLORFGBG is "$COLORFGBG"', ({ COLORFGBG, skin }) => {
  expect(settingsOf(DEFAULT_ARGUMENTS, {}, { COLORFGBG }).theme.skin).toBe(skin);
  expect(settingsOf(DEFAULT_ARGUMENTS, { skin: 'dark' }, { COLORFGBG }).theme.skin).toBe('dark');
});

/** Returns whether the console draws with ASCII in the locale `C`. */
function isAscii(given: object, config: object): boolean {
  return settingsOf({ ...DEFAULT_ARGUMENTS, ...given }, config, { LC_ALL: 'C', LANG: 'en_US.UTF-8' }).theme.ascii;
}

test('the console draws with ASCII in a locale without UTF-8 unless the command line or the file overrides it', () => {
  expect(isAscii({}, {})).toBe(true);
  expect(isAscii({ ascii: false }, {})).toBe(false);
  expect(isAscii({}, { ascii: false })).toBe(false);
  expect(isAscii({ ascii: true }, { ascii: false })).toBe(true);
});
