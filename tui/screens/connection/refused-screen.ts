import type { ScreenView } from '../../state/ports.ts';
import { descriptionLines, textRows } from '../../text/describe.ts';
import { run, type Line } from '../../text/theme.ts';

/**
 * Returns the lines of the screen for a backend that rejected this console: its message, and how to fix the problem.
 */
export function refusedLines({ options, state }: ScreenView, code: string, message: string): readonly Line[] {
  const { title, fix } = remedyOf(code);
  const { columns } = state.size;
  const said = [
    { label: 'backend', text: options.backend },
    { label: 'message', text: message },
  ];
  return [
    [],
    [run(` ✗ ${title}`, 'critical')],
    [],
    ...descriptionLines(said, { width: columns - 2, cells: 10 }),
    [],
    ...textRows(fix, { width: columns - 1 }),
    [],
    [run(' R', 'accent'), run(' retry now (automatic retry every 30 s)   '), run('q', 'accent'), run(' quit')],
  ];
}

function remedyOf(code: string): { readonly title: string; readonly fix: readonly string[] } {
  switch (code) {
    case 'unauthenticated':
      return {
        title: 'The backend requires credentials',
        fix: [
          'Set the credentials in the environment and start again:',
          '  MON_CREDENTIALS=user:password mon --backend URL',
          '  MON_API_KEY=key mon --backend URL',
        ],
      };
    case 'forbidden':
      return {
        title: 'These credentials are not allowed to read the event feed',
        fix: ['Ask for a key with the scope "read", or use other credentials (MON_CREDENTIALS, MON_API_KEY).'],
      };
    case 'not_found':
      return {
        title: 'There is no event feed at this URL',
        fix: ['Check the URL and the port of --backend: it must be the API of a mon backend (4567 by default).'],
      };
    case 'version':
      return {
        title: 'Console and backend use different versions of the feed protocol',
        fix: ['Use the console of the same release as the backend: "monctl version" shows both.'],
      };
    default:
      return { title: 'The backend refused the connection', fix: ['See the log of the backend.'] };
  }
}
