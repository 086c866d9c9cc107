import type { Mutant } from './mutant.ts';

const REQUESTS = 'test/daemon/backend/cluster/forwarded-requests.test.ts';
const RUNS = 'test/daemon/backend/cluster/runs.test.ts';
const TUNNELS = 'test/daemon/backend/cluster/tunnels.test.ts';

/** Backends that share a store, and whom they believe. */
export const CLUSTER_MUTANTS: readonly Mutant[] = [
  {
    defence: 'only who knows the secret is another backend',
    file: 'daemon/backend/cluster/forwarding/admitted-peers.ts',
    text: 'if (this.#isMember(headers)) return',
    replacement: 'if (this.#isMember(headers) || address.length > 0) return',
    test: REQUESTS,
    title: 'who does not know the secret',
  },
  {
    defence: 'no secret is none that can be known',
    file: 'daemon/backend/cluster/forwarding/admitted-peers.ts',
    text: "secret !== '' && ",
    replacement: '',
    test: REQUESTS,
    title: 'without a secret',
  },
  {
    defence: 'the backend that writes is known by its certificate',
    file: 'daemon/backend/cluster/forwarding/peer-link.ts',
    text: 'if (fingerprint === undefined) return true;',
    replacement: 'if (socket.readable) return true;',
    test: REQUESTS,
    title: 'with TLS',
  },
  {
    defence: 'a password that has changed counts at no other backend either',
    file: 'daemon/backend/access/authenticator.ts',
    text: 'return principal.credentialVersion === versions.of(principal.name)',
    replacement: "return principal.name !== ''",
    test: REQUESTS,
    title: 'keys, sessions and users',
  },
  {
    defence: 'a change whose answer is lost is not made twice',
    file: 'daemon/backend/cluster/forwarding/peer-link.ts',
    text: 'const isLost = isSent && !isRepeatable;',
    replacement: 'const isLost = isSent && isRepeatable && body !== undefined;',
    test: REQUESTS,
    title: 'whose answer is lost is not sent again',
  },
  {
    defence: 'nobody but another backend comes to the end of a tunnel',
    file: 'daemon/backend/cluster/forwarding/forwarding.ts',
    text: 'if (path === V2_AGENT_TUNNEL_PATH) throw',
    replacement: "if (path === '') throw",
    test: TUNNELS,
    title: 'nobody comes straight',
  },
  {
    defence: 'a run on another backend that takes too long is given up',
    file: 'daemon/backend/cluster/runs/spread-runs.ts',
    text: 'body, limitMsOf(order), signal',
    replacement: 'body, limitMsOf(order) === 0 ? 0 : undefined, signal',
    test: RUNS,
    title: 'ten seconds beyond its timeout',
  },
  {
    defence: 'an order that another backend would not take is not sent',
    file: 'daemon/backend/cluster/runs/spread-runs.ts',
    text: 'if (body.length > PEER_BYTES_MAX)',
    replacement: 'if (body.length < 0 * PEER_BYTES_MAX)',
    test: RUNS,
    title: 'its order is too large',
  },
  {
    defence: 'what runs on a backend that is frozen is given up',
    file: 'daemon/backend/cluster/runs/live-member.ts',
    text: 'if (this.#unanswered === UNANSWERED_MAX) this.cut();',
    replacement: '',
    test: RUNS,
    title: 'frozen',
  },
];
