/**
 * Whether the locale of the environment has no UTF-8, so that a terminal shows other signs than are written. As POSIX
 * orders them, `LC_ALL` counts before `LC_CTYPE` before `LANG`. An environment without any of them says nothing.
 */
export function isAsciiLocale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
