import { onTestFinished } from 'vitest';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import type { Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { asking, type Ask } from './asking.ts';
import { ManualClock } from './manual-clock.ts';
import { openBackend } from './open-backend.ts';
import { tempDir } from './temp-dir.ts';
import { TroubledStore } from './troubled-store.ts';

type Definitions = NonNullable<Parameters<typeof openBackend>[0]['definitions']>;

/** The sections of a configuration; of `api` and `program` only the differences to the defaults. */
type Sections = Omit<Definitions, 'api' | 'program'> & {
  readonly api?: Partial<Definitions['api']>;
  readonly program?: Partial<Definitions['program']>;
  /** Default: the limits of a backend. */
  readonly fixedLimits?: BackendOptions['fixedLimits'];
};

/**
 * The whole backend for a test, with a manual clock and one command in each batch. The test controls the
 * failures of its store. It can be restarted with the stored data.
 */
export class BackendRig {
  /** The clock of the next start. */
  clock = new ManualClock();
  dir: string;
  #store: TroubledStore | undefined;
  #backend: Backend | undefined;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Opens a backend that stops at the end of the test. */
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
      around: (store) => (this.#store = new TroubledStore(store)),
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

  get store(): TroubledStore {
    if (this.#store === undefined) throw new Error('the backend was never started');
    return this.#store;
  }

  get api(): ApiClient {
    return openApiClient({ backend: this.url });
  }

  /** Sends requests without credentials. */
  get ask(): Ask {
    return asking(this.url, null);
  }

  /** Sends requests as an administrator. */
  get administer(): Ask {
    return asking(this.url);
  }
}
