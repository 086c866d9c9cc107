import { MonError } from '../../../../shared/errors.ts';

/** The location of a PostgreSQL database: the same database on each host, of which one accepts writes. */
export interface DatabaseUrl {
  /** A URL with credentials for each host, in the order of the connection attempts. */
  readonly hosts: readonly [string, ...string[]];
  /** Hosts and database without user and password, for messages. */
  readonly shown: string;
}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(\?[^#]*)?$/;

/** Maximum number of hosts; with more, a member would try for minutes. */
const HOSTS_MAX = 16;

/**
 * URL parameters that choose among the hosts. This program makes that choice itself; the client library knows neither
 * parameter.
 */
const OWN_PARAMETERS = ['target_session_attrs', 'load_balance_hosts'];

/**
 * Parses the setting `store`: `postgres://USER:PASSWORD@HOST[:PORT][,HOST[:PORT] ...]/DATABASE[?sslmode=...]`.
 *
 * @throws MonError `invalid` that names the setting and shows no password
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme = '', credentials, hostList = '', database = '', query = ''] = FORM.exec(text) ?? [];
  const hosts = hostList.split(',');
  if (scheme === '' || database === '' || hosts.some((host) => host === '') || hosts.length > HOSTS_MAX) {
    throw new MonError(
      'invalid',
      'store: must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, with several hosts as HOST:PORT,HOST:PORT; ' +
        'without it everything is stored in the state directory',
    );
  }
  const parameters = new URLSearchParams(query);
  const targetSession = parameters.get('target_session_attrs') ?? 'read-write';
  if (targetSession !== 'read-write' && targetSession !== 'primary') {
    throw new MonError('invalid', 'store: target_session_attrs must be read-write: a standby accepts no writes');
  }
  for (const name of OWN_PARAMETERS) parameters.delete(name);
  const remainingQuery = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const user = credentials === undefined ? '' : `${credentials}@`;
  const urls = hosts.map((host) => `${scheme}${user}${host}/${database}${remainingQuery}`);
  for (const url of urls) assertUrl(url);
  const [first = '', ...others] = urls;
  return { hosts: [first, ...others], shown: `postgres://${hostList}/${database}` };
}

function assertUrl(url: string): void {
  if (URL.canParse(url)) return;
  throw new MonError(
    'invalid',
    'store: the URL is malformed: in the user name, password and host write / as %2F, @ as %40 and : as %3A',
  );
}
