import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { InputEvent } from '../../../tui/terminal/input-event.ts';
import {
  ESCAPE_DELAY_MS,
  KeyDecoder,
  PASTE_DELAY_MS,
  PASTE_LENGTH_MAX,
  SEQUENCE_DELAY_MS,
  TORN_DELAY_MS,
} from '../../../tui/terminal/key-decoder.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { propertyRuns } from '../../support/property-runs.ts';

function openDecoder() {
  const clock = new ManualClock();
  const events: InputEvent[] = [];
  const decoder = new KeyDecoder({
    emit: (event) => events.push(event),
    after: (delayMs, task) => clock.after(delayMs, task),
  });
  onTestFinished(() => decoder[Symbol.dispose]());
  return { decoder, clock, events };
}

/** Returns all events of these chunks after the paste delay, with no further input. */
function decode(...chunks: (string | Uint8Array)[]): InputEvent[] {
  const { decoder, clock, events } = openDecoder();
  for (const chunk of chunks) decoder.feed(chunk);
  clock.advance(PASTE_DELAY_MS);
  return events;
}

/** Returns the names of the decoded keys, such as `ctrl-a`, `shift-tab` and `x`. */
function keys(...chunks: (string | Uint8Array)[]): string {
  return decode(...chunks)
    .map(keyName)
    .join(' ');
}

function keyName(event: InputEvent): string {
  if (event.kind !== 'key') return event.kind;
  const modifiers = [event.ctrl && 'ctrl', event.meta && 'meta', event.shift && 'shift'].filter(Boolean);
  return [...modifiers, event.name].join('-');
}

describe('the key decoder', () => {
  test.each([
    ['several keys in one chunk', '5j', '5 j'],
    ['a letter and enter', 'j\r', 'j enter'],
    ['capital letters without shift-', 'G', 'G'],
    ['letters of other scripts and emoji', 'éж👍', 'é ж 👍'],
    ['control characters', '\u0001\u0003\u001a\u001f', 'ctrl-a ctrl-c ctrl-z ctrl-_'],
    ['ctrl-space', '\u0000', 'ctrl-space'],
    ['keys that send a control character', '\t\r\n\u007f\b ', 'tab enter enter backspace backspace space'],
    ['alt with a character', '\u001bb\u001bB\u001b\u007f\u001b\r', 'meta-b meta-B meta-backspace meta-enter'],
    ['arrows', '\u001b[A\u001b[B\u001b[C\u001b[D', 'up down right left'],
    ['arrows in application mode', '\u001bOA\u001bOB\u001bOC\u001bOD', 'up down right left'],
    [
      'arrows with modifiers',
      '\u001b[1;2A\u001b[1;3B\u001b[1;5C\u001b[1;8D',
      'shift-up meta-down ctrl-right ctrl-meta-shift-left',
    ],
    ['arrows with alt as a second escape', '\u001b\u001b[A\u001b\u001bOB', 'meta-up meta-down'],
    ['home and end of xterm', '\u001b[H\u001b[F\u001bOH\u001bOF', 'home end home end'],
    ['home and end of screen, tmux and linux', '\u001b[1~\u001b[4~', 'home end'],
    ['home and end of rxvt', '\u001b[7~\u001b[8~', 'home end'],
    ['the editing keys', '\u001b[2~\u001b[3~\u001b[5~\u001b[6~', 'insert delete pageup pagedown'],
    ['the editing keys with ctrl', '\u001b[3;5~\u001b[5;5~', 'ctrl-delete ctrl-pageup'],
    ['the editing keys of rxvt', '\u001b[3^\u001b[5$\u001b[6@', 'ctrl-delete shift-pageup ctrl-shift-pagedown'],
    ['the arrows of rxvt', '\u001b[a\u001bOd', 'shift-up ctrl-left'],
    ['F1 to F4 of xterm', '\u001bOP\u001bOQ\u001bOR\u001bOS', 'f1 f2 f3 f4'],
    ['F1 to F4 with modifiers', '\u001b[1;2P\u001b[1;5S', 'shift-f1 ctrl-f4'],
    ['F1 to F5 of the Linux console', '\u001b[[A\u001b[[B\u001b[[C\u001b[[D\u001b[[E', 'f1 f2 f3 f4 f5'],
    ['F1 to F4 of rxvt', '\u001b[11~\u001b[12~\u001b[13~\u001b[14~', 'f1 f2 f3 f4'],
    [
      'F5 to F12',
      '\u001b[15~\u001b[17~\u001b[18~\u001b[19~\u001b[20~\u001b[21~\u001b[23~\u001b[24~',
      'f5 f6 f7 f8 f9 f10 f11 f12',
    ],
    ['shift-tab', '\u001b[Z', 'shift-tab'],
    ['the keypad in application mode', '\u001bOp\u001bOy\u001bOM\u001bOk', '0 9 enter +'],
    ['modifyOtherKeys', '\u001b[27;5;105~\u001b[27;2;13~', 'ctrl-i shift-enter'],
    ['characters of the kitty protocol', '\u001b[97u\u001b[97;5u\u001b[97;3u', 'a ctrl-a meta-a'],
    ['capital letters of the kitty protocol', '\u001b[103;2u\u001b[49:33;2u', 'G !'],
    [
      'named keys of the kitty protocol',
      '\u001b[27u\u001b[9;2u\u001b[13;5u\u001b[127u',
      'escape shift-tab ctrl-enter backspace',
    ],
    ['keypad keys of the kitty protocol', '\u001b[57400u\u001b[57414u\u001b[57419u', '1 enter up'],
    ['key repeats but not key releases of the kitty protocol', '\u001b[106;1:2u\u001b[106;1:3u\u001b[1;1:3A', 'j'],
    ['no key with super of the kitty protocol, since super belongs to the desktop', '\u001b[113;9u', ''],
  ])('the key decoder decodes %s', (_rule, bytes, expected) => {
    expect(keys(bytes)).toBe(expected);
  });

  test('a decoded character contains its text unless it has a modifier', () => {
    expect(decode('é \u0001\u001bx\u001b[97;1u')).toEqual([
      { kind: 'key', name: 'é', text: 'é', ctrl: false, meta: false, shift: false },
      { kind: 'key', name: 'space', text: ' ', ctrl: false, meta: false, shift: false },
      { kind: 'key', name: 'a', ctrl: true, meta: false, shift: false },
      { kind: 'key', name: 'x', ctrl: false, meta: true, shift: false },
      { kind: 'key', name: 'a', text: 'a', ctrl: false, meta: false, shift: false },
    ]);
  });
});

describe('terminal input that is not a key', () => {
  test.each([
    ['a response about the terminal type', '\u001b[?62;4c'],
    ['a response with the cursor position', '\u001b[24;80R'],
    ['a response about a mode', '\u001b[?2026;2$y'],
    ['a response about a color of the text', '\u001b]10;rgb:0000/0000/0000\u001b\\'],
    ['a response about a color that ends with BEL', '\u001b]10;rgb:0000/0000/0000\u0007'],
    ['a device string', '\u001bP1$r0m\u001b\\'],
    ['an application string', '\u001b_Gi=1;OK\u001b\\'],
    ['an unknown key', '\u001b[99~'],
    ['an unknown letter', '\u001b[5;5y'],
    ['a mouse report in the oldest xterm format', '\u001b[M !!'],
    ['the end of a paste without a begin', '\u001b[201~'],
    ['bytes that are not UTF-8', Uint8Array.of(0xff, 0xc3, 0x28).subarray(0, 2)],
    ['8-bit controls', '\u009b'],
  ])('the key decoder ignores %s', (_rule, bytes) => {
    expect(keys(bytes, 'x')).toBe('x');
  });

  test.each([
    { response: '\u001b]11;rgb:ffff/ffff/ffff\u001b\\', isLight: true },
    { response: '\u001b]11;rgb:fd/f6/e3\u0007', isLight: true },
    { response: '\u001b]11;rgb:0000/2b2b/3636\u001b\\', isLight: false },
  ])('the key decoder reads from $response whether the background is light', ({ response, isLight }) => {
    expect(decode(response)).toEqual([{ kind: 'background', isLight }]);
  });

  test('a truncated key sequence does not consume the next key sequence', () => {
    expect(keys('\u001b[1;\u001b[A\u001b]0;t\u001b[Bx')).toBe('up down x');
  });

  test('the key decoder buffers a bounded part of an unfinished sequence', () => {
    expect(keys(`\u001b]${'y'.repeat(10_000)}`)).toMatch(/^y( y)+$/);
    expect(keys(`\u001b[${';'.repeat(10_000)}`)).toMatch(/^;( ;)+$/);
  });
});

describe('the escape key', () => {
  test('the byte Escape is a key if no byte follows for a while', () => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b');
    clock.advance(ESCAPE_DELAY_MS - 1);
    expect(events).toEqual([]);
    clock.advance(1);
    expect(events.map(keyName)).toEqual(['escape']);
  });

  test('the byte Escape is the start of a sequence if a sequence follows', () => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b');
    clock.advance(ESCAPE_DELAY_MS - 1);
    decoder.feed('[');
    clock.advance(SEQUENCE_DELAY_MS - 1);
    decoder.feed('A');
    expect(events.map(keyName)).toEqual(['up']);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['twice', '\u001b\u001b', 'escape escape'],
    ['three times', '\u001b\u001b\u001b', 'escape escape escape'],
    ['before an arrow key with alt', '\u001b\u001b\u001b[A', 'escape meta-up'],
    ['before a letter', '\u001b\u001bj', 'escape meta-j'],
  ])('the key Escape is decoded %s', (_rule, bytes, expected) => {
    expect(keys(bytes)).toBe(expected);
  });

  test.each([
    ['an arrow key', '[B', 'escape down'],
    ['an arrow key in application mode', 'OA', 'escape up'],
    ['a page key', '[6~', 'escape pagedown'],
    ['a paste', '[200~qq\u001b[201~', 'escape paste'],
  ])('the rest of %s that arrives late after its escape character does not become letters', (_rule, rest, expected) => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b');
    clock.advance(ESCAPE_DELAY_MS + TORN_DELAY_MS - 1);
    for (const character of rest) decoder.feed(character);
    expect(events.map(keyName).join(' ')).toBe(expected);
  });

  test('a key that the user types soon after the key Escape is not lost', () => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b');
    clock.advance(ESCAPE_DELAY_MS);
    decoder.feed('[');
    clock.advance(TORN_DELAY_MS);
    decoder.feed('O');
    expect(events.map(keyName)).toEqual(['escape', '[', 'O']);
  });

  test('a key that the user types long after the key Escape is decoded at once', () => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b');
    clock.advance(ESCAPE_DELAY_MS + TORN_DELAY_MS);
    decoder.feed('[');
    expect(events.map(keyName)).toEqual(['escape', '[']);
  });

  test('the key decoder drops an incomplete sequence', () => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b[1;');
    clock.advance(SEQUENCE_DELAY_MS);
    decoder.feed('j');
    expect(events.map(keyName)).toEqual(['j']);
  });
});

describe('a pasted text', () => {
  test('a paste is decoded as text, whatever it contains', () => {
    expect(decode('\u001b[200~rm -rf /\rq\u001b[A\u0003\u001b[201~x')).toEqual([
      { kind: 'paste', text: 'rm -rf /\nq\u001b[A\u0003', truncated: false },
      { kind: 'key', name: 'x', text: 'x', ctrl: false, meta: false, shift: false },
    ]);
  });

  test('the line ends of a paste are normalized', () => {
    expect(decode('\u001b[200~a\r\nb\rc\nd\u001b[201~')).toEqual([
      { kind: 'paste', text: 'a\nb\nc\nd', truncated: false },
    ]);
  });

  test('the length of a paste is limited', () => {
    const [paste, key] = decode(`\u001b[200~${'a'.repeat(PASTE_LENGTH_MAX + 10)}`, `${'b'.repeat(10)}\u001b[201~x`);
    expect(paste).toEqual({ kind: 'paste', text: 'a'.repeat(PASTE_LENGTH_MAX), truncated: true });
    expect(key).toMatchObject({ name: 'x' });
  });

  test('a paste that is cut never ends within a character', () => {
    const text = `${'a'.repeat(PASTE_LENGTH_MAX - 1)}👍`;
    expect(decode(`\u001b[200~${text}\u001b[201~`)).toEqual([
      { kind: 'paste', text: 'a'.repeat(PASTE_LENGTH_MAX - 1), truncated: true },
    ]);
  });

  test('a paste without an end sequence ends after a delay, so that keys work again', () => {
    const { decoder, clock, events } = openDecoder();
    decoder.feed('\u001b[200~abc\u001b[20');
    clock.advance(PASTE_DELAY_MS);
    decoder.feed('q');
    expect(events.map(keyName)).toEqual(['paste', 'q']);
    expect(events[0]).toMatchObject({ text: 'abc\u001b[20' });
  });
});

test('the key decoder decodes focus and mouse reports', () => {
  const none = { ctrl: false, meta: false, shift: false };
  expect(decode('\u001b[I\u001b[O')).toEqual([
    { kind: 'focus', focused: true },
    { kind: 'focus', focused: false },
  ]);
  expect(
    decode(
      '\u001b[<0;10;5M\u001b[<0;10;5m\u001b[<34;1;1M\u001b[<35;2;2M\u001b[<64;1;2M\u001b[<81;300;200M\u001b[<66;1;1M',
    ),
  ).toEqual([
    { kind: 'mouse', action: 'press', button: 'left', column: 9, row: 4, ...none },
    { kind: 'mouse', action: 'release', button: 'left', column: 9, row: 4, ...none },
    { kind: 'mouse', action: 'drag', button: 'right', column: 0, row: 0, ...none },
    { kind: 'mouse', action: 'move', button: 'none', column: 1, row: 1, ...none },
    { kind: 'mouse', action: 'wheelup', button: 'none', column: 0, row: 1, ...none },
    { kind: 'mouse', action: 'wheeldown', button: 'none', column: 299, row: 199, ...none, ctrl: true },
  ]);
});

/** Valid and invalid terminal input in any order. */
const input = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'j',
        'é',
        '👍',
        '\r',
        '\u0003',
        '\u001b',
        '\u001b[',
        '\u001bO',
        'A',
        '~',
        '1',
        ';',
        '5',
        '[',
        '\u001bb',
      ),
      fc.constantFrom(
        '\u001b[A',
        '\u001b[1;5C',
        '\u001bOP',
        '\u001b[[A',
        '\u001b[15~',
        '\u001b[5$',
        '\u001b[<0;3;4M',
        '\u001b[I',
      ),
      fc.constantFrom(
        '\u001b[200~',
        '\u001b[201~',
        '\u001b[200~x\r\ny\u001b[201~',
        '\u001b[20',
        '\u001b]0;t\u0007',
        '\u001bPx\u001b\\',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 30 },
  )
  .chain((parts) =>
    fc.uint8Array({ maxLength: 3 }).map((noise) => Buffer.concat([Buffer.from(parts.join('')), noise])),
  );

test('the key decoder yields the same keys however the input is split into chunks', () => {
  fc.assert(
    fc.property(input, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (bytes, sizes) => {
      const chunks: Uint8Array[] = [];
      for (let start = 0, turn = 0; start < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        chunks.push(bytes.subarray(start, start + size));
        start += size;
      }
      expect(decode(...chunks)).toEqual(decode(bytes));
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('the key decoder accepts any bytes and decodes later keys correctly', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const { decoder, clock, events } = openDecoder();
      decoder.feed(bytes);
      clock.advance(PASTE_DELAY_MS);
      decoder.feed('qq');
      // The first `q` may be part of an unfinished character, so only the last event is certain.
      expect(events.at(-1)).toMatchObject({ name: 'q' });
      expect(clock.pending).toBe(0);
    }),
  );
});
