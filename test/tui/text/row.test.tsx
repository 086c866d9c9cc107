import { expect, test } from 'vitest';
import { Row, rowText } from '../../../tui/text/row.tsx';
import { run } from '../../../tui/text/theme.ts';
import { frameOf } from '../../support/frame-of.tsx';

const RUNS = [run('> '), run('✗ CRIT', 'critical'), run(' web…'), run('again', 'cursor')];

test.each([
  {
    name: 'in color',
    theme: { color: true, ascii: false },
    text: '> \u001B[1m\u001B[91m✗ CRIT\u001B[39m\u001B[22m web…\u001B[7magain\u001B[27m',
  },
  {
    name: 'without color, which keeps bold and inverse',
    theme: { color: false, ascii: false },
    text: '> \u001B[1m✗ CRIT\u001B[22m web…\u001B[7magain\u001B[27m',
  },
  {
    name: 'in ASCII',
    theme: { color: false, ascii: true },
    text: '> \u001B[1mX CRIT\u001B[22m web.\u001B[7magain\u001B[27m',
  },
])('a row of the console is drawn $name', ({ theme, text }) => {
  expect(rowText(theme, RUNS)).toBe(text);
  expect(frameOf(<Row theme={theme} runs={RUNS} />).trimEnd()).toBe(
    theme.ascii ? '> X CRIT web.again' : '> ✗ CRIT web…again',
  );
});

test('a row of the console is cut at the edge of the screen and never wrapped', () => {
  const frame = frameOf(<Row theme={{ color: false, ascii: false }} runs={[run('0123456789'.repeat(3))]} />, {
    columns: 20,
    rows: 2,
  });
  expect(frame).toBe('0123456789012345678…\n');
});

test('a row of the console without text takes one line', () => {
  const theme = { color: true, ascii: false };
  const frame = frameOf(
    <>
      <Row theme={theme} runs={[]} />
      <Row theme={theme} runs={[run('below')]} />
    </>,
    { columns: 20, rows: 2 },
  );
  expect(frame).toBe('\nbelow');
});
