import type { ReactElement } from 'react';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { Rows } from '../../text/rows.tsx';
import { wrapCells } from '../../text/wrap-cells.ts';
import { run, type Line, type Theme } from '../../text/theme.ts';

export interface RefusedScreenProps {
  readonly theme: Theme;
  readonly columns: number;
  readonly backend: string;
  readonly code: string;
  readonly message: string;
}

/** The backend answered, and will not talk to this console: what it said, and how that is put right. */
export function RefusedScreen({ theme, columns, backend, code, message }: RefusedScreenProps): ReactElement {
  const { title, fix } = remedyOf(code);
  const lines: readonly Line[] = [
    [],
    [run(` ✗ ${title}`, 'critical')],
    [],
    [run(' backend  ', 'faint'), run(safeLine(backend))],
    ...wrapCells(safeLine(message), columns - 12).map((line, index) => [
      run(index === 0 ? ' it says  ' : '          ', 'faint'),
      run(line),
    ]),
    [],
    ...fix.flatMap((line) => wrapCells(line, columns - 2)).map((line) => [run(` ${line}`)]),
    [],
    [
      run(' R', 'accent'),
      run(' tries again now (it is tried every 30 s anyway)   '),
      run('q', 'accent'),
      run(' quits'),
    ],
  ];
  return <Rows theme={theme} lines={lines} />;
}

function remedyOf(code: string): { readonly title: string; readonly fix: readonly string[] } {
  switch (code) {
    case 'unauthenticated':
      return {
        title: 'The backend wants to know who you are',
        fix: [
          'Put the credentials into the environment and start again:',
          '  MON_CREDENTIALS=user:password mon --backend URL',
          '  MON_API_KEY=key mon --backend URL',
        ],
      };
    case 'forbidden':
      return {
        title: 'These credentials may not read the feed',
        fix: ['Ask for a key with the scope "read", or use other credentials (MON_CREDENTIALS, MON_API_KEY).'],
      };
    case 'not_found':
      return {
        title: 'There is no feed at this address',
        fix: ['Check the URL and the port of --backend: it must be the API of a mon backend (4567 by default).'],
      };
    case 'version':
      return {
        title: 'Console and backend speak different versions of the feed',
        fix: ['Use the console of the same release as the backend: "monctl version" shows both.'],
      };
    default:
      return { title: 'The backend refused the connection', fix: ['The log of the backend says more.'] };
  }
}
