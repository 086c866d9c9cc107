import { onTestFinished } from 'vitest';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import type { Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { asking, type Ask } from './asking.ts';
import { ManualClock } from './manual-clock.ts';
import { openBackend } from './open-backend.ts';
import { tempDir } from './temp-dir.ts';
import { FaultyStore } from './faulty-store.ts';

type Definitions = NonNullable<Parameters<typeof openBackend>[0]['definitions']>;

/** Sections of a configuration. The sections `api` and `program` contain only the differences to their defaults. */
type Sections = Omit<Definitions, 'api' | 'program'> & {
  readonly api?: Partial<Definitions['api']>;
  readonly program?: Partial<Definitions['program']>;
  /** Overrides of a backend's fixed limits; default: none. */
  readonly fixedLimits?: BackendOptions['fixedLimits'];
};

/**
 * A complete backend in this process, with a manual clock, one command per batch, and a store whose failures the test
 * controls. It can be restarted with the stored data.
 */
export class BackendRig {
  /** The clock that the next start uses. */
  clock = new ManualClock();
  dir: string;
  #store: FaultyStore | undefined;
  #backend: Backend | undefined;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Starts a backend that is stopped when the test finishes. */
  static async open(sections?: Sections): Promise<BackendRig> {
    const rig = new BackendRig(await tempDir());
    await rig.start(sections);
    onTestFinished(() => rig.stop());
    return rig;
  }

  async start({ api, program, fixedLimits = {}, ...sections }: Sections = {}): Promise<void> {
    const usual = await loadConfig({ directories: [], env: {} });
    this.#backend = await openBackend({
      dir: this.dir,
      clock: this.clock,
      batcher: { batchLimit: 1 },
      fixedLimits,
      around: (store) => (this.#store = new FaultyStore(store)),
      definitions: { ...sections, api: { ...usual.api, ...api }, program: { ...usual.program, ...program } },
    });
  }

  async stop(): Promise<void> {
    await this.#backend?.stop();
    this.#backend = undefined;
  }

  get url(): string {
    if (this.#backend === undefined) throw new Error('the backend is stopped');
    return this.#backend.url;
  }

  get store(): FaultyStore {
    if (this.#store === undefined) throw new Error('the backend was never started');
    return this.#store;
  }

  get api(): ApiClient {
    return openApiClient({ backend: this.url });
  }

  /** Function that sends requests without credentials. */
  get ask(): Ask {
    return asking(this.url, null);
  }

  /** Function that sends requests with the local administrator token. */
  get administer(): Ask {
    return asking(this.url);
  }
}
