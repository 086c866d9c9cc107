/**
 * Returns whether the locale of the environment is not UTF-8, so that the terminal would show wrong characters. As in
 * POSIX, `LC_ALL` overrides `LC_CTYPE`, which overrides `LANG`. If none of them is set, returns false.
 */
export function isAsciiLocale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
