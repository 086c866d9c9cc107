import { describe, expect, test } from 'vitest';
import { xtermColor } from '../../../scripts/lib/terminal-picture.ts';
import { SKIN_COLORS, SKINS } from '../../../tui/text/theme.ts';

/** Minimum contrast between text and background (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5;

/** The sixteen colors of xterm, which the skin `dark` uses; other terminals have others. */
const XTERM_COLORS = [
  '000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5',
  '7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
].flatMap((colors) => colors.split(' ').map((color) => `#${color}`));

function rgbOf(color: number): string {
  return XTERM_COLORS[color] ?? xtermColor(color);
}

/** Returns the relative luminance of a color such as `#ff8700`, from 0 (black) to 1 (white), as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

test('the contrast of black and white is 21:1', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});

describe.each(SKINS.filter((skin) => skin !== 'mono'))('the skin %s', (skin) => {
  const background = skin === 'light' ? '#ffffff' : '#000000';

  test.each(Object.entries(SKIN_COLORS[skin]))(
    'the color of the tone %s has a contrast of at least 4.5:1 on the background, as text and as a bar',
    (_tone, color) => {
      // The row under the cursor swaps text and background, which does not change the contrast.
      expect(contrast(rgbOf(color), background)).toBeGreaterThanOrEqual(CONTRAST_MIN);
    },
  );
});
