import { expect, test } from 'vitest';
import { isAsciiLocale } from '../../../tui/words/locale.ts';

test.each<[env: Readonly<Record<string, string>>, isAscii: boolean]>([
  [{ LANG: 'C' }, true],
  [{ LANG: 'POSIX' }, true],
  [{ LANG: 'de_DE.ISO-8859-1' }, true],
  [{ LANG: 'de_DE@euro' }, true],
  [{ LANG: 'en_US.UTF-8' }, false],
  [{ LANG: 'C.utf8' }, false],
  [{ LC_CTYPE: 'UTF-8' }, false],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, true],
  [{ LC_CTYPE: 'C', LANG: 'en_US.UTF-8' }, true],
  [{ LC_ALL: 'en_US.UTF-8', LC_CTYPE: 'C', LANG: 'C' }, false],
  [{ LC_ALL: '', LC_CTYPE: 'C.UTF-8', LANG: 'C' }, false],
  [{ LC_ALL: '', LC_CTYPE: '', LANG: '' }, false],
  [{ LC_MESSAGES: 'C' }, false],
  [{}, false],
])('the locale of the environment %j supports only ASCII: %s', (env, isAscii) => {
  expect(isAsciiLocale(env)).toBe(isAscii);
});
