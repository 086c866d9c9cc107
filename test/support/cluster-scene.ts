import type { ClusterMember, ClusterView } from '../../shared/schemas/cluster.ts';
import { openRig, type ConsoleRig, type RigOptions, type SeenRequest } from './console-rig.ts';
import { SCENE, SCENE_STATS } from './console-scene.ts';
import { FEED_HELLO, startFeedServer } from './feed-server.ts';
import { aClusterView, aMember, writtenBy } from './simulated-cluster.ts';

const NOW = FEED_HELLO.time / 1000;
const HOUR = 3600;

const at = (member: ClusterMember, since: number, seen: number): ClusterMember => ({
  ...member,
  since: NOW - since,
  last_seen: NOW - seen,
});

/** A cluster of three members: the leader `web1`, which responds, a follower and a lost member. */
export const SCENE_CLUSTER: ClusterView = aClusterView({
  leader: { id: 'web1-id', since: NOW - 2 * HOUR - 600, epoch: 7 },
  seq: 1_204_331,
  members: [
    at(aMember('web1', { role: 'leader', seq: 1_204_331 }), 51 * HOUR, 0),
    at(aMember('web2', { seq: 1_204_328, lag: 3 }), 3 * HOUR, 1),
    at(aMember('web3', { seq: 1_180_000, lag: 24_331, state: 'lost', version: '1.0.1' }), 3 * HOUR, 300),
  ],
});

/** A simulated member of a cluster, whose responses the test controls. */
export class ClusterScene {
  view: ClusterView;
  /** The scopes of the credentials that the console uses. */
  scopes: readonly string[] = ['admin', 'read'];
  /** Error response to a handover request; `undefined` if a handover succeeds. */
  refusal: { readonly status: number; readonly error: string } | undefined;
  readonly #isShared: boolean;

  constructor({ told = SCENE_CLUSTER, isShared = true }: { told?: ClusterView; isShared?: boolean } = {}) {
    this.view = told;
    this.#isShared = isShared;
  }

  /** Opens the console, connected to a server with the rows of the common test scene. */
  async open(options: RigOptions = {}): Promise<ConsoleRig & { readonly asked: readonly string[] }> {
    const asked: string[] = [];
    const server = await startFeedServer({
      hello: { ...FEED_HELLO, ...(this.#isShared && { shared: true }) },
      http: (incoming, outgoing) => {
        void (async () => {
          let text = '';
          for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
          const request = { method: incoming.method ?? '', path: incoming.url ?? '', body: text };
          asked.push(`${request.method} ${request.path}`);
          const { status, body } = this.#answer(request);
          outgoing.writeHead(status, { 'content-type': 'application/json' });
          outgoing.end(body === undefined ? '' : JSON.stringify(body));
        })();
      },
      // The statistics are sent before `live`, so that they are shown when the console is live. A test cannot wait for
      // them, because a narrow header with a problem has no space for them.
      onSubscribe: (connection) =>
        connection.send(
          { type: 'snapshot', seq: 1, rows: SCENE },
          { type: 'stats', time: FEED_HELLO.time, stats: SCENE_STATS },
          { type: 'live', seq: 1 },
        ),
    });
    const rig = await openRig({ ...options, server });
    await rig.shows(/LIVE|too small/);
    return Object.assign(rig, { asked });
  }

  #answer({ method, path, body }: SeenRequest): { readonly status: number; readonly body?: unknown } {
    if (path === '/api/mon/v1/cluster') return { status: 200, body: this.view };
    if (path === '/api/mon/v1/access') {
      const { scopes } = this;
      return {
        status: 200,
        body: { name: 'ada', via: 'user', scopes, namespace: null, key: null, expires_at: null, routes: [] },
      };
    }
    if (method !== 'POST' || path !== '/api/mon/v1/cluster/hand-over') return { status: 404 };
    if (this.refusal !== undefined) {
      const { status, error } = this.refusal;
      return { status, body: { error, code: status === 403 ? 'forbidden' : 'unavailable' } };
    }
    const { to } = JSON.parse(String(body)) as { readonly to: string };
    this.view = writtenBy(this.view, to);
    return { status: 200, body: this.view };
  }
}
