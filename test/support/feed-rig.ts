import { onTestFinished, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { ChangeLog } from '../../daemon/backend/feed/change-log.ts';
import { LOCAL_ADMINISTRATOR, type Principal } from '../../daemon/backend/access/principal.ts';
import { FeedHub } from '../../daemon/backend/feed/feed-hub.ts';
import { Definitions } from '../../daemon/backend/model/config/definitions.ts';
import { Batcher } from '../../daemon/backend/commit/batcher.ts';
import { Clients } from '../../daemon/backend/clients/commands.ts';
import { EntityLimit } from '../../daemon/backend/model/clients/entity-limit.ts';
import { Events } from '../../daemon/backend/events/commands.ts';
import { Results } from '../../daemon/backend/results/commands.ts';
import { SilencedEntries } from '../../daemon/backend/silences/commands.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { serveFeed } from './serve-feed.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';
import { FaultyStore } from './faulty-store.ts';
import { topicsOf } from '../../daemon/backend/compose/topics.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';

/** Time in milliseconds that the feed waits between two frames with changes. */
const FRAME_MS = 50;

/** The feed of a backend on a real store, with a manual clock and access to the server's sockets. */
export class FeedRig {
  readonly url: string;
  readonly clock: ManualClock;
  readonly store: FaultyStore;
  readonly registry: Registry;
  readonly batcher: Batcher;
  readonly results: Results;
  readonly silenced: SilencedEntries;
  readonly events: Events;
  readonly clients: Clients;
  readonly hub: FeedHub;
  /** The sockets of the server, in the order in which clients connected. */
  readonly sockets: readonly WebSocket[];
  /** The principal that new connections get. */
  principal = LOCAL_ADMINISTRATOR;

  private constructor(parts: {
    readonly url: string;
    readonly clock: ManualClock;
    readonly store: FaultyStore;
    readonly registry: Registry;
    readonly definitions: Definitions;
    readonly batcher: Batcher;
    readonly hub: FeedHub;
    readonly sockets: readonly WebSocket[];
  }) {
    const { batcher, clock, definitions } = parts;
    this.url = parts.url;
    this.clock = clock;
    this.store = parts.store;
    this.registry = parts.registry;
    this.batcher = batcher;
    this.hub = parts.hub;
    this.sockets = parts.sockets;
    const entityLimit = new EntityLimit(parts.registry, () => 'unlimited');
    this.results = new Results({ batcher, definitions, clock, limits: { proxyClientQuota: 1000, entityLimit } });
    this.silenced = new SilencedEntries(batcher);
    this.events = new Events(batcher);
    this.clients = new Clients({ batcher, entityLimit, quarantineSeconds: 0 });
  }

  /**
   * Opens the feed without clients.
   *
   * @param bounds limits of the changes that the feed retains for resuming
   * @param principal principal of all connections
   */
  static async open(
    bounds = { recordsMax: 1000, changesMax: 500_000 },
    principal: Principal = LOCAL_ADMINISTRATOR,
  ): Promise<FeedRig> {
    const clock = new ManualClock();
    const log = new RecordedLog();
    const store = new FaultyStore(await openLevelStore(await tempDir()));
    const registry = new Registry(TABLES);
    await registry.load(store);
    const lease = await store.acquire('main', 30_000);
    const batcher = new Batcher({ registry, store, lease, clock, log }, { batchLimit: 1 });
    const changes = new ChangeLog(bounds);
    batcher.commits.onCommit((commit) => changes.add(commit));
    const entityLimit = new EntityLimit(registry, () => 'unlimited');
    const definitions = new Definitions({ checks: new Map(), handlers: new Map() });
    const hub = new FeedHub({
      registry,
      batcher,
      topics: topicsOf(definitions),
      changes,
      clock,
      log,
      storeId: store.id,
      name: 'test',
      entityLimit,
    });
    const sockets: WebSocket[] = [];
    onTestFinished(async () => {
      await batcher.close();
      await store.close();
    });
    const url = await serveFeed(hub, (socket) => {
      sockets.push(socket);
      hub.accept(socket, rig.principal);
    });
    const rig = new FeedRig({ url, clock, store, registry, definitions, batcher, hub, sockets });
    rig.principal = principal;
    return rig;
  }

  async submit(results: readonly SubmittedResult[]): Promise<void> {
    await this.results.submit(DEFAULT_NAMESPACE, results);
  }

  /** Advances the clock frame by frame until `check` does not throw. */
  async until(check: () => void): Promise<void> {
    await vi.waitFor(() => {
      this.clock.advance(FRAME_MS);
      check();
    });
  }
}
