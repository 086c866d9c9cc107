import { MonError } from '../../../../shared/errors.ts';

/** The hosts and the name of a replicated PostgreSQL database. Only one of the hosts accepts writes. */
export interface DatabaseUrl {
  /** Connection URLs with credentials, one for each host, in the order of the setting `store`. */
  readonly hosts: readonly [string, ...string[]];
  /** The URL of all hosts and the database, without user, password and parameters, for messages. */
  readonly shown: string;
}

const URL_FORMAT = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(\?[^#]*)?$/;

/** Maximum number of hosts in the setting `store`. With more hosts, trying all of them could take minutes. */
const HOSTS_MAX = 16;

/** URL parameters that the client library understands. Unknown ones are rejected, because they are often misspelled. */
const CONNECTION_PARAMETERS = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
  'application_name',
  'options',
];

/**
 * URL parameters that select a host. They are removed from the URL: `DatabaseServer` selects the host, and the client
 * library does not support these parameters.
 */
const HOST_PARAMETERS = ['target_session_attrs', 'load_balance_hosts'];

/**
 * Parses the setting `store`: `postgres://USER:PASSWORD@HOST[:PORT][,HOST[:PORT] ...]/DATABASE[?sslmode=...]`.
 *
 * @throws MonError `invalid` if the setting is malformed; the message names the setting and contains no password
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme = '', credentials, hostList = '', database = '', query = ''] = URL_FORMAT.exec(text) ?? [];
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
  for (const name of HOST_PARAMETERS) parameters.delete(name);
  for (const name of parameters.keys()) assertParameter(name);
  const remainingQuery = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const user = credentials === undefined ? '' : `${credentials}@`;
  const urls = hosts.map((host) => `${scheme}${user}${host}/${database}${remainingQuery}`);
  for (const url of urls) assertUrl(url);
  const [first = '', ...others] = urls;
  return { hosts: [first, ...others], shown: `postgres://${hostList}/${database}` };
}

function assertParameter(name: string): void {
  if (CONNECTION_PARAMETERS.includes(name)) return;
  throw new MonError(
    'invalid',
    `store: unknown parameter ${JSON.stringify(name)} in the URL: use ` +
      [...CONNECTION_PARAMETERS, ...HOST_PARAMETERS].join(', '),
  );
}

function assertUrl(url: string): void {
  if (URL.canParse(url)) return;
  throw new MonError(
    'invalid',
    'store: the URL is malformed: in the user name, password and host write / as %2F, @ as %40 and : as %3A',
  );
}
