import { ask, type Attack, type HostileKind } from './kind.ts';

/** Number of new clients that one request creates. */
const NEW_SOURCES = 100;
/** Size of a large client definition, a little below the default limit for one client. */
const LARGEST_BYTES = 60 * 1024;

async function post(attack: Attack, path: string, body: string): Promise<void> {
  await ask(attack, 'POST', path, { key: attack.target.keys.submit, body });
}

function basic(user: string, password: string): Readonly<Record<string, string>> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Attacks with requests that are invalid, too large, too many or not permitted. */
export const REQUEST_KINDS: readonly HostileKind[] = [
  {
    name: 'wrong password',
    lanes: 20,
    pauseMs: 20,
    attack: (attack) =>
      ask(attack, 'GET', '/events', {
        headers: basic(attack.random.pick(['soak', 'nobody']), String(attack.serial)),
      }),
  },
  {
    name: 'wrong or revoked key',
    lanes: 5,
    pauseMs: 50,
    attack: (attack) =>
      ask(attack, 'POST', '/results', {
        key: attack.random.pick([attack.target.keys.revoked, `mk_${String(attack.serial)}_x`]),
        body: JSON.stringify({ name: 'revoked', output: 'still here', status: 2, source: 'revoked-http' }),
      }),
  },
  {
    name: 'ever new sources',
    lanes: 2,
    pauseMs: 500,
    attack: (attack) =>
      post(
        attack,
        '/api/mon/v1/results',
        JSON.stringify(
          Array.from({ length: NEW_SOURCES }, (_, at) => ({
            source: `new-${String(attack.serial)}-${String(at)}`,
            name: 'new',
            output: 'here I am',
            status: at % 2,
          })),
        ),
      ),
  },
  {
    name: 'ever new clients of the largest size',
    lanes: 2,
    pauseMs: 500,
    attack: (attack) =>
      post(
        attack,
        '/clients',
        JSON.stringify({
          name: `large-${String(attack.serial)}`,
          address: '192.0.2.66',
          subscriptions: ['hostile'],
          padding: 'x'.repeat(LARGEST_BYTES),
        }),
      ),
  },
  {
    name: 'client with very many subscriptions or keys',
    lanes: 2,
    pauseMs: 500,
    attack: (attack) => {
      const many = Array.from({ length: 50_000 }, (_, at) => `s-${String(at)}`);
      const client = { name: 'greedy', address: '192.0.2.66' };
      return post(
        attack,
        '/clients',
        JSON.stringify(
          attack.random.pick<object>([
            { ...client, subscriptions: many },
            { ...client, subscriptions: [], ...Object.fromEntries(many.map((name) => [name, 1])) },
          ]),
        ),
      );
    },
  },
  {
    name: 'deep JSON',
    lanes: 3,
    pauseMs: 100,
    attack: (attack) =>
      post(
        attack,
        attack.random.pick(['/results', '/clients', '/api/mon/v1/results', '/stashes/deep']),
        attack.random.pick(['['.repeat(500_000), `{"a":`.repeat(100_000)]),
      ),
  },
  {
    name: 'body that is too large',
    lanes: 3,
    pauseMs: 500,
    attack: (attack) =>
      post(attack, attack.random.pick(['/results', '/api/mon/v1/results']), 'x'.repeat(20 * 1024 * 1024)),
  },
  {
    name: 'invalid results',
    lanes: 5,
    pauseMs: 10,
    attack: (attack) =>
      post(attack, '/results', attack.random.pick(['{', '[]', '{"name":"a b"}', '{"name":"x","output":7}', 'null'])),
  },
];
