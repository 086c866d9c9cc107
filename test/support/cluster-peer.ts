import { startScriptedServer, type ScriptedServer } from './scripted-server.ts';

/** The data of a simulated Sensu Go cluster. */
export interface ClusterPeer {
  readonly version?: string;
  /** Names of the cluster's members; the names of unhealthy members end with an exclamation mark. */
  readonly members?: readonly string[];
  readonly lists?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  /**
   * Credentials `user:password`, for which the server returns a token that all further requests must have. If omitted,
   * requests need no credentials.
   */
  readonly login?: string;
  /** Last path segments of the lists to which the server responds with status 403. */
  readonly hidden?: readonly string[];
}

const CORE = '/api/core/v2/';
const TOKEN = 'eyJ.a.token';

/** Starts a server that simulates the parts of the Sensu Go API that the upgrade planner uses. */
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
