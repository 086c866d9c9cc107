import { logIn, logOut } from '../../../shared/client/log-in.ts';
import { MonError } from '../../../shared/errors.ts';
import { loginLines } from '../../words/login-text.ts';
import type { Command } from '../command.ts';
import { waitFor } from '../poll.ts';

const login: Command = {
  words: ['login'],
  summary: 'Log in by single sign-on in a browser',
  details: [
    'monctl shows a URL and a code. Open the URL in a browser on any machine, log in, and confirm the code. The backend must have the setting oidc.',
    'The login is stored next to the configuration file, in the directory logins, with mode 0600. monctl and the console use it for this backend, and renew it silently. It ends after 12 hours without use, at "monctl logout", or when the identity provider ends it.',
  ],
  options: {},
  examples: [['monctl login --backend https://mon.example.org', 'shows the URL and the code']],
  async run({ backend, credentials, clock, output }) {
    const username = await logIn(
      { backend, env: credentials },
      { show: (started) => loginLines(started).forEach((line) => output.warn(line)), wait: (ms) => waitFor(clock, ms) },
    );
    await output.show({ username }, () => `Logged in as ${username}`);
  },
};

const logout: Command = {
  words: ['logout'],
  summary: 'Revoke and delete the login of this user',
  details: [
    'The session ends at once, and the backend revokes the login at the identity provider. If the backend does not answer, the login is only deleted from this machine.',
  ],
  options: {},
  examples: [['monctl logout', 'before you leave a shared machine']],
  async run({ backend, credentials, output }) {
    const username = await logOut({ backend, env: credentials });
    if (username === undefined) {
      throw new MonError('not_found', 'there is no login for this backend: see "monctl login"');
    }
    await output.show({ username, logged_out: true }, () => `Logged out ${username}`);
  },
};

export const loginCommands: readonly Command[] = [login, logout];
