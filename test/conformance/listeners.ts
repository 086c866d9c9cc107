import { AgentPeer } from '../support/agent-peer.ts';
import { normalized } from './compare.ts';
import type { Line } from './scenario.ts';

/**
 * The two transports of Sensu Core for check requests: `CHANNELS` reach all subscribers; `LIST` matches a list from
 * which one subscriber takes each request.
 */
const CHANNELS = 'published on redis channels';
const LIST = /^pushed on redis list transport:0:list:(.*)$/;

interface Published {
  readonly channel: string;
  readonly message: unknown;
}

/** Agents that receive the check requests of the backend, one agent for each subscription of a recording. */
export class Listeners {
  readonly #peers: ReadonlyMap<string, AgentPeer>;
  /** Number of check requests of each agent that have already been compared. */
  readonly #compared = new Map<AgentPeer, number>();
  #lastId = 0;

  static async connect(url: string, lines: readonly Line[]): Promise<Listeners> {
    const subscriptions = new Set(
      lines.flatMap((line) => recordedIn(line)?.map(({ subscription }) => subscription) ?? []),
    );
    const peers = new Map<string, AgentPeer>();
    for (const [index, subscription] of [...subscriptions].entries()) {
      const peer = await AgentPeer.connect(url, `listener-${String(index)}`);
      await peer.join('spool', { subscriptions: [subscription] });
      peers.set(subscription, peer);
    }
    return new Listeners(peers);
  }

  private constructor(peers: ReadonlyMap<string, AgentPeer>) {
    this.#peers = peers;
  }

  /**
   * Compares the check requests of one transport since the previous such line.
   *
   * @returns the differences as text; `undefined` if the line does not observe check requests
   */
  async compare(line: Line): Promise<string[] | undefined> {
    const recorded = recordedIn(line);
    if (recorded === undefined || line.kind !== 'observe') return undefined;
    await this.#hearAll();
    const isList = LIST.test(line.what);
    const problems: string[] = [];
    for (const [subscription, peer] of this.#peers) {
      if (isList !== isOneConsumer(subscription)) continue;
      const requests = peer.heard.flatMap((message) => (message.type === 'check_request' ? [message.check] : []));
      const heard = requests.slice(this.#compared.get(peer) ?? 0);
      this.#compared.set(peer, requests.length);
      const expected = recorded.flatMap((one) => (one.subscription === subscription ? [one.message] : []));
      const [got, wanted] = [JSON.stringify(normalized(heard, '')), JSON.stringify(normalized(expected, ''))];
      if (got !== wanted) problems.push(`${subscription}: expected ${wanted}, got ${got}`);
    }
    return problems;
  }

  /**
   * Waits until each agent has received everything that the backend sent so far: the agent sends a result, and the
   * acknowledgment arrives last.
   */
  async #hearAll(): Promise<void> {
    const id = ++this.#lastId;
    for (const peer of this.#peers.values()) {
      peer.say({ type: 'results', results: [{ id, check: { name: 'heard', output: '', status: 0 } }] });
      await peer.waitForAck(id);
    }
  }
}

function recordedIn(line: Line): { readonly subscription: string; readonly message: unknown }[] | undefined {
  if (line.kind !== 'observe') return undefined;
  if (line.what === CHANNELS) {
    return (line.data as readonly Published[]).map(({ channel, message }) => ({
      subscription: channel.replace(/^transport:0:channel:/, ''),
      message,
    }));
  }
  const subscription = LIST.exec(line.what)?.[1];
  return subscription === undefined
    ? undefined
    : (line.data as readonly unknown[]).map((message) => ({ subscription, message }));
}

function isOneConsumer(subscription: string): boolean {
  return subscription.startsWith('roundrobin:') || subscription.startsWith('direct:');
}
