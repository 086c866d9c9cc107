/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startPostgres } from '../../scripts/lib/postgres-server.ts';
import { CuttingProxy, type Direction } from '../support/cutting-proxy.ts';
import { RandomChoices } from './random-choices.ts';
import { ClusterLoad } from './cluster-load.ts';
import { Members } from './members.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 3;
const MEMBERS = 3;
/** Maximum time under load before a fault, and after it. */
const LOAD_MS_MAX = 500;
/** Maximum time for which a link is stalled: longer than a lease, and shorter than the timeout of a write. */
const HELD_MS_MAX = 4500;
const DELAY_MS_MAX = 200;
const CUTS = 5;
/** Time for requests that a backend still processes although the proxy has already cut their connection. */
const SETTLE_MS = 500;

/**
 * The proxies in front of each member (for its peers), of each database connection, and of each member (for agents and
 * other clients).
 */
class Links implements AsyncDisposable {
  readonly peers: readonly CuttingProxy[];
  readonly databases: readonly CuttingProxy[];
  readonly fronts: readonly CuttingProxy[];

  private constructor(all: readonly CuttingProxy[]) {
    this.peers = all.slice(0, MEMBERS);
    this.databases = all.slice(MEMBERS, 2 * MEMBERS);
    this.fronts = all.slice(2 * MEMBERS);
  }

  /**
   * Opens the proxies.
   *
   * @param store URL of the database, which all proxies target until the addresses of the members are known
   */
  static async open(store: string): Promise<Links> {
    return new Links(await Promise.all(Array.from({ length: 3 * MEMBERS }, () => CuttingProxy.open(store))));
  }

  leadTo(urls: readonly string[]): void {
    for (const [at, url] of urls.entries()) {
      for (const proxy of [this.peers[at], this.fronts[at]]) if (proxy !== undefined) proxy.target = url;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of [...this.fronts, ...this.peers, ...this.databases]) await proxy[Symbol.asyncDispose]();
  }
}

/** Causes a fault on a link, and resolves when the fault has lasted long enough. */
type Fault = (link: CuttingProxy, random: RandomChoices) => Promise<void>;

const cut: Fault = async (link, random) => {
  for (let times = 0; times < CUTS; times++) {
    link.cut();
    await delay(random.below(DELAY_MS_MAX));
  }
};

const cutMidway: Fault = async (link, random) => {
  link.cutAfter(random.below(20_000));
  await delay(random.below(HELD_MS_MAX));
};

const slow: Fault = async (link, random) => {
  link.slow(1 + random.below(DELAY_MS_MAX));
  await delay(random.below(HELD_MS_MAX));
};

/** Stalls the link in the given directions. The stalled data then arrives late, or is lost if the link is cut. */
const stall =
  (...directions: readonly Direction[]): Fault =>
  async (link, random) => {
    link.stall(...directions);
    await delay(random.below(HELD_MS_MAX));
    if (random.below(2) === 0) link.cut();
  };

const FAULTS = [stall('there', 'back'), stall('there'), stall('back'), cut, cutMidway, slow] as const;

/**
 * Returns the link to disturb. The leader's links are chosen more often, because the other members get no requests from
 * their peers.
 */
async function linkOf(
  round: number,
  links: Links,
  members: Members,
  random: RandomChoices,
): Promise<CuttingProxy | undefined> {
  const writer = await members.writer();
  const at = random.pick([writer, 0, 1, 2]);
  return random.pick([links.peers[writer], links.databases[at], links.fronts[at]]) ?? links.fronts[round % MEMBERS];
}

test(
  'a cluster with faulty links loses no acknowledged write, repeats no write, and all members agree',
  async () => {
    const random = new RandomChoices(seed());
    await using server = await startPostgres();
    const store = await server.database();
    await using links = await Links.open(store);
    const { host } = new URL(store);
    await using members = await Members.open(MEMBERS, (at) => ({
      MON_STORE: store.replace(host, new URL(links.databases[at]?.url ?? '').host),
      MON_PEER_URL: links.peers[at]?.url ?? '',
    }));
    links.leadTo(members.urls);
    const load = new ClusterLoad(members, store, random);
    const urls = links.fronts.map(({ url }) => url);

    for (let round = 0; round < rounds(ROUNDS); round++) {
      const fault = async (): Promise<void> => {
        const link = await linkOf(round, links, members, random);
        if (link !== undefined) await random.pick(FAULTS)(link, random);
        link?.flow();
        await delay(random.below(LOAD_MS_MAX));
      };
      await load.during(fault, { loadMsMax: LOAD_MS_MAX, urls, settleMs: SETTLE_MS });
    }
    expect(load.changes).toBeGreaterThan(0);
    console.log(`${String(rounds(ROUNDS))} faults, ${String(load.changes)} acknowledged changes`);
  },
  roundsTimeoutMs(ROUNDS, 30_000),
);
