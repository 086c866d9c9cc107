import { startScriptedServer, type ScriptedServer } from './scripted-server.ts';

/** The data of a Sensu Go cluster, by the last part of each list's path. */
export interface ClusterPeer {
  readonly version?: string;
  /** Names of its members; unhealthy ones end with an exclamation mark. */
  readonly members?: readonly string[];
  readonly lists?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  /** `user:password`: exchanged for a token, which is then required; absent: no credentials are required. */
  readonly login?: string;
  /** Lists that these credentials may not read. */
  readonly hidden?: readonly string[];
}

const CORE = '/api/core/v2/';
const TOKEN = 'eyJ.a.token';

/** Starts a Sensu Go cluster, as far as the upgrade planner uses it. */
export function startCluster({
  version = '6.1.4',
  members = ['backend-a'],
  lists = {},
  hidden = [],
  login,
}: ClusterPeer): Promise<ScriptedServer> {
  const known: ClusterPeer['lists'] = {
    namespaces: [{ name: 'default' }],
    checks: [{ metadata: { namespace: 'default', name: 'disk' }, command: 'true' }],
    handlers: [],
    filters: [],
    mutators: [],
    entities: [],
    ...lists,
  };
  return startScriptedServer(({ method, path, headers }) => {
    const [place = ''] = path.split('?');
    if (place === '/version') return { status: 200, body: { sensu_backend: version } };
    if (place === '/health') {
      const health = members.map((name) => ({ Name: name.replace('!', ''), Healthy: !name.endsWith('!'), Err: '' }));
      return { status: 200, body: { Alarms: null, ClusterHealth: health } };
    }
    if (place === '/auth') {
      const isKnown = login !== undefined && headers.authorization === `Basic ${btoa(login)}`;
      return isKnown
        ? { status: 200, body: { access_token: TOKEN, expires_at: 0, refresh_token: '' } }
        : { status: 401 };
    }
    if (login !== undefined && place.startsWith(CORE) && headers.authorization !== `Bearer ${TOKEN}`) {
      return { status: 401, body: { Code: 5, Message: 'bad credentials' } };
    }
    const list = place.slice(CORE.length);
    if (hidden.includes(list)) return { status: 403, body: { message: 'unauthorized', code: 4 } };
    const objects = place.startsWith(CORE) ? known[list] : undefined;
    if (method === 'GET' && objects !== undefined) return { status: 200, body: objects };
    return method === 'GET' ? { status: 404, body: { message: 'not found', code: 2 } } : { status: 204 };
  });
}
