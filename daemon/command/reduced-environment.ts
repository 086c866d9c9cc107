/**
 * Names of the only variables that commands inherit (security S14). The pattern must not match a variable with
 * credentials.
 */
const INHERITED_NAMES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR)$/;

const PATH_DEFAULT = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function reducedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => INHERITED_NAMES.test(name));
  return { PATH: PATH_DEFAULT, ...Object.fromEntries(kept) };
}
