import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ConsoleRig, RigOptions } from './console-rig.ts';
import { COLOR, LOOKS, scenesAt, scenesInLooks, sizesOf } from './golden-looks.ts';
import { expectGolden } from './screen.ts';

/** A golden screen, and the actions that lead to it. */
export interface Picture {
  readonly view: string;
  readonly play: (rig: ConsoleRig) => Promise<void>;
}

/**
 * Defines the tests of golden screens. In every size, no line is wider than the terminal and the last line is not
 * blank. In every theme, colors and non-ASCII symbols appear exactly if the theme allows them.
 *
 * @param open callback that opens the console and leads it to the golden screen
 */
export function testPictures<Shown extends { readonly view: string }>(
  pictures: readonly Shown[],
  open: (picture: Shown, options: RigOptions) => Promise<ConsoleRig>,
): void {
  describe.each(sizesOf(pictures))('at $columns x $rows', ({ columns, rows }) => {
    test.each(scenesAt(pictures, { columns, rows }))('the screen $view matches its picture', async (picture) => {
      const { screen } = await open(picture, { columns, rows });
      await expectGolden(screen, `${picture.view}-${String(columns)}x${String(rows)}`);
      expect(screen.lines.at(-1)).not.toBe('');
      expect(screen.lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
    });
  });

  describe.each(LOOKS)('in $look', ({ look, theme, styled }) => {
    test.each(scenesInLooks(pictures))('the screen $view matches its styled picture', async (picture) => {
      const { screen } = await open(picture, { theme });
      await expectGolden(screen, `${picture.view}-${look}`, { styled });
      expect(COLOR.test(screen.output)).toBe(theme.color);
      expect(/[^\u0000-\u007F]/.test(screen.output)).toBe(!theme.ascii);
    });
  });
}
