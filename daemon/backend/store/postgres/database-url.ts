import { MonError } from '../../../../shared/errors.ts';

/** Where a PostgreSQL is: the same database on each host, of which one takes writes. */
export interface DatabaseUrl {
  /** A URL for each host, with credentials; in the order to try them in. */
  readonly hosts: readonly [string, ...string[]];
  /** For messages: hosts and database, without user and password. */
  readonly shown: string;
}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(\?[^#]*)?$/;

/** More would make a member try for minutes. */
const HOSTS_MAX = 16;

/** What the hosts are told apart by, and which of them is wanted, is decided here; the client library knows neither. */
const OWN_PARAMETERS = ['target_session_attrs', 'load_balance_hosts'];

/**
 * Reads the setting `store`: `postgres://USER:PASSWORD@HOST[:PORT][,HOST[:PORT] ...]/DATABASE[?sslmode=...]`.
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
  const wanted = parameters.get('target_session_attrs') ?? 'read-write';
  if (wanted !== 'read-write' && wanted !== 'primary') {
    throw new MonError('invalid', 'store: target_session_attrs must be read-write: a standby accepts no writes');
  }
  for (const name of OWN_PARAMETERS) parameters.delete(name);
  const rest = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const user = credentials === undefined ? '' : `${credentials}@`;
  const urls = hosts.map((host) => `${scheme}${user}${host}/${database}${rest}`);
  for (const url of urls) assertUrl(url);
  const [first = '', ...others] = urls;
  return { hosts: [first, ...others], shown: `postgres://${hostList}/${database}` };
}

function assertUrl(url: string): void {
  if (URL.canParse(url)) return;
  throw new MonError(
    'invalid',
    'store: a host, port, user or password of the URL cannot be read; write / @ : in them as %2F %40 %3A',
  );
}
