import '../../../tui/actions/all.ts';
import { describe, expect, test } from 'vitest';
import {
  FiguresLine,
  HintsLine,
  StatusLine,
  type HintsProps,
  type StatusLineProps,
} from '../../../tui/screens/footer.tsx';
import { initialState, type ConsoleState } from '../../../tui/state/console-state.ts';
import { INITIAL_LIST, type ListState } from '../../../tui/state/list-state.ts';
import { lineOf } from '../../../tui/text/line-editor.ts';
import { newestLine } from '../../../tui/text/line-history.ts';
import { frameOf } from '../../support/frame-of.tsx';

const THEME = { color: false, ascii: false };
const COLUMNS = 100;

describe('the key hints in the footer', () => {
  const EVERYWHERE: HintsProps = {
    theme: THEME,
    context: 'events',
    columns: COLUMNS,
    connected: true,
    paused: false,
    readOnly: false,
  };

  test.each<{ name: string; props: Partial<HintsProps>; shown: RegExp[]; missing: RegExp[] }>([
    {
      name: 'name the keys for actions',
      props: {},
      shown: [/s silence/, /r resolve/, /\? help$/],
      missing: [/R retry/],
    },
    {
      name: 'name no key for a change while the console is disconnected',
      props: { connected: false },
      shown: [/R retry now/, /Enter detail/],
      missing: [/silence/, /resolve /],
    },
    {
      name: 'name no key for a change in read-only mode',
      props: { readOnly: true },
      shown: [/Enter detail/],
      missing: [/silence/, /resolve /, /retry/],
    },
    {
      name: 'name the key that resumes a paused list',
      props: { paused: true },
      shown: [/p resume/],
      missing: [/p pause/],
    },
    {
      name: 'are the keys of the topmost layer',
      props: { context: 'prompt' },
      shown: [/Enter keep/],
      missing: [/silence/],
    },
    {
      name: 'say that Enter unfolds a folded row',
      props: { fold: 'folded' },
      shown: [/Enter unfold /],
      missing: [/Enter detail/],
    },
    {
      name: 'say that Enter folds an unfolded row',
      props: { fold: 'unfolded' },
      shown: [/Enter fold /],
      missing: [/Enter detail/],
    },
    {
      name: 'keep the help key on a very narrow screen',
      props: { columns: 24 },
      shown: [/^ s silence {2}\? help$/],
      missing: [/resolve/],
    },
  ])('the key hints in the footer $name', ({ props, shown, missing }) => {
    const text = frameOf(<HintsLine {...EVERYWHERE} {...props} />);
    for (const hint of shown) expect(text).toMatch(hint);
    for (const hint of missing) expect(text).not.toMatch(hint);
    expect(text.length).toBeLessThanOrEqual(props.columns ?? COLUMNS);
  });
});

describe('the status line', () => {
  const PLACE: StatusLineProps = {
    theme: THEME,
    columns: COLUMNS,
    state: initialState({ columns: COLUMNS, rows: 36 }, false),
    list: INITIAL_LIST,
    nouns: ['event', 'events'],
    sort: 'severity, age',
    shown: 1234,
    total: 100_000,
    orderPaused: false,
    compact: false,
    stale: false,
  };
  const status = (
    { filter = INITIAL_LIST.filter, marks = INITIAL_LIST.marks, ...change }: Partial<ConsoleState & ListState>,
    about: Partial<StatusLineProps> = {},
  ): string =>
    frameOf(
      <StatusLine
        {...PLACE}
        {...about}
        state={{ ...PLACE.state, ...change }}
        list={{ ...PLACE.list, filter, marks }}
      />,
    ).trimEnd();
  const disk = { text: 'disk', problem: undefined, history: [] };

  test('the status line names the filter and how to clear it', () => {
    expect(status({})).toBe(' filter: none');
    expect(status({ filter: disk })).toBe(' filter: disk  (/ edit, Esc clears)');
  });

  test('the status line on small screens also shows the number of shown rows out of all', () => {
    expect(status({ filter: disk, marks: new Set(['a/b']) }, { compact: true })).toMatch(
      /^ 1,234\/100,000 {2}filter: disk +1 marked {2}1\/1,234$/,
    );
  });

  test('the status line shows the filter being typed, with its problem and the position', () => {
    const prompt = newestLine(lineOf('age>'), []);
    const problem = { message: 'use a duration', position: 4 };
    expect(status({ prompt, filter: { ...disk, problem } })).toMatch(/^ \/age> +5: use a duration$/);
  });

  test('the status line keeps the typed text in view, however long the message is', () => {
    const prompt = newestLine(lineOf('web status>'), []);
    const problem = {
      message: 'a value is missing after status>: use ok, warn, crit, unknown or a number',
      position: 11,
    };
    const line = status({ prompt, filter: { ...disk, problem } }, { columns: 60 });
    expect(line).toMatch(/^ \/web status> {3}12: a value is missing after status>: use …$/);
  });

  test('the status line shows the outcome of the last action in preference to other texts', () => {
    const message = { text: '1 silence created: client:a:disk', tone: 'done', atMs: 0 } as const;
    expect(status({ message, filter: disk }, { stale: true })).toBe(' 1 silence created: client:a:disk');
  });

  test('the status line shows the control sequences of an error message as text', () => {
    const message = { text: 'no\u001B[2J\u0007', tone: 'problem', atMs: 0 } as const;
    expect(status({ message })).toBe(' no\\x1b[2J\\x07');
  });

  test('the status line says why keys do nothing while the connection is lost', () => {
    expect(status({ filter: disk }, { stale: true })).toBe(
      ' actions are disabled while disconnected; marks and filter are kept',
    );
  });
});

test('the footer shows the number of rows, the position of the cursor and whether the list is paused', () => {
  expect(figures({ shown: 1234, total: 100_000 })).toMatch(
    /^ 1,234 of 100,000 events shown {3}sort: severity, age +order paused {2}2 marked {2}row 17\/1,234$/,
  );
});

test('the footer distinguishes rows that are still shown from the number of rows now', () => {
  expect(figures({ shown: 98, total: 93 })).toMatch(/^ 98 shown, 93 now {3}sort: severity, age /);
});

function figures(counts: { readonly shown: number; readonly total: number }): string {
  const list = { ...INITIAL_LIST, cursor: { key: 'a/b', index: 16, top: 0 }, marks: new Set(['a/b', 'a/c']) };
  return frameOf(
    <FiguresLine
      theme={THEME}
      columns={COLUMNS}
      state={initialState({ columns: COLUMNS, rows: 36 }, false)}
      list={list}
      nouns={['event', 'events']}
      sort="severity, age"
      {...counts}
      orderPaused
      compact={false}
      stale={false}
    />,
  ).trimEnd();
}
