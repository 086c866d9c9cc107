import type { Decision } from './decision.ts';

const A_DEFECT = 'nothing is wrong with the server: 500 has clients try again what never succeeds';

/** Of namespaces, roles, tessen, the cluster, paths and methods. */
export const CLUSTER_DECISIONS: readonly Decision[] = [
  {
    case: 'cluster-wide-a/fresh-lists',
    what: 'GET /api/core/v2/cluster/members',
    because:
      'there is no store of its own behind the backend, so no addresses of one, and it is called as its machine is',
    right: { status: 200 },
  },
  {
    case: 'cluster-wide-a/namespaces',
    what: /^DELETE /,
    because: A_DEFECT,
    right: { status: 400, body: { code: 1 } },
  },
  {
    case: 'cluster-wide-a/namespaces',
    what: /^PATCH /,
    because: 'the recorded answer renames the namespace alone: what is in it is lost',
    right: { status: 400, body: { code: 1 } },
  },
  {
    case: 'cluster-wide-a/apikeys',
    lines: [4],
    because: 'follows from the rename above',
    right: { status: 200, body: ['A', 'a.b_c-d', 'default', 'n2'].map((name) => ({ name })) },
  },
  {
    case: 'cluster-wide-a/apikeys',
    lines: [1],
    because: 'the key is told once, and only its hash is stored (completion 1.17): the answer holds it by name',
    right: { status: 201, body: { username: 'admin', metadata: { created_by: 'admin' } } },
  },
  {
    case: 'cluster-wide-a/apikeys',
    lines: [2],
    because: 'a key has limits of its own here, and shows them to who may grant it',
    right: {
      status: 200,
      body: { username: 'admin', metadata: { created_by: 'admin' }, all_roles: true, namespace: null, expires_at: 0 },
    },
  },
  {
    case: 'cluster-wide-a/apikeys',
    lines: [3],
    because: 'a key has limits of its own here, and shows them to who may grant it',
    right: { status: 200, body: [{ username: 'admin', all_roles: true }] },
  },
  {
    case: 'cluster-wide-a/apikeys',
    lines: [7],
    because: 'the recorded answer gives the key to a user who is not there, with whose rights it would come to life',
    right: { status: 400, body: { code: 1, message: 'there is no user u1, or it is disabled' } },
  },
  {
    case: 'cluster-wide-a/apikeys',
    what: /^PUT /,
    because: 'a key of a dump is brought back like that, by its hash (completion 1.17), and these have none',
    right: { status: 400, body: { code: 1 } },
  },
  { case: 'cluster-wide-a/apikeys', lines: [17], because: A_DEFECT, right: { status: 400, body: { code: 1 } } },
  {
    case: /^cluster-wide-a\/(?:apikeys|auth)$/,
    what: 'GET /auth/test',
    because:
      'Authorization: Key and a token are good on every endpoint (completion 1.1), so they can be tried out here',
    right: { status: 200 },
  },
  {
    case: 'cluster-wide-a/auth',
    lines: [19],
    because: 'Basic is good for every endpoint (completion 1.1), as the token is that it could be exchanged for',
    right: { status: 200, body: [{ name: 'A' }, { name: 'a.b_c-d' }, { name: 'default' }, { name: 'n2' }] },
  },
  {
    case: 'cluster-wide-a/tessen',
    lines: [4, 5],
    because: 'nothing ever leaves the machine, whatever is asked for',
    right: { status: 200, body: { opt_out: true } },
  },
  { case: 'cluster-wide-a/tessen', lines: [7], because: A_DEFECT, right: { status: 400, body: { code: 1 } } },
  {
    case: 'cluster-wide-a/paths',
    what: 'GET /graphql',
    because: 'it belongs to the web interface of the peer, of which there is none here',
    right: { status: 404, body: { code: 2 } },
  },
  {
    case: 'cluster-wide-a/paths',
    what: 'GET /api/core/v2/namespaces/default/checks/',
    because: 'a check without a name: who shows no credentials is told nothing about checks',
    right: { status: 401, body: { Code: 5 } },
  },
  {
    case: 'cluster-wide-a/methods',
    what: /^OPTIONS /,
    because: 'browsers ask so before they send anything, and lose the request otherwise',
    right: { status: 200 },
  },
  {
    case: 'cluster-wide-a/methods',
    lines: [12],
    because: 'HEAD is GET without the body (RFC 9110, section 9.3.2)',
    right: { status: 200 },
  },
  {
    case: 'cluster-wide-a/methods',
    lines: [13],
    because: 'HEAD is GET without the body (RFC 9110, section 9.3.2)',
    right: { status: 404 },
  },
  {
    case: 'cluster-wide-a/delete-default',
    lines: [1],
    because: 'the recorded answer deletes what the built-in roles and the legacy API are in',
    right: { status: 400, body: { code: 1 } },
  },
  {
    case: 'cluster-wide-a/delete-default',
    because: 'default is still there',
    right: { status: 200 },
  },
  {
    case: 'res-rbac-a/enforcement (token of user viewer)',
    what: 'GET /version',
    because: 'there is no etcd, and clients are told which level of the API this is',
    right: { status: 200, body: { sensu_backend: '6.5.0' } },
  },
  {
    case: 'res-rbac-a/enforcement (token of user viewer)',
    what: 'GET /health',
    because: 'the only member is called as its machine is',
    right: { status: 200, body: { Alarms: null } },
  },
  {
    case: 'res-checks-a/check/hooks',
    lines: [5],
    because: A_DEFECT,
    right: { status: 400, body: { code: 1 } },
  },
];
