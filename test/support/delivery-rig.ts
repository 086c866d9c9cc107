import { onTestFinished } from 'vitest';
import { messageButtons } from '../../daemon/backend/chat/buttons.ts';
import { Definitions } from '../../daemon/backend/model/config/definitions.ts';
import { HandlerRunner, type HandlerRunnerDependencies } from '../../daemon/backend/notify/delivery/deliver.ts';
import type { DeliveryOutcome } from '../../daemon/backend/notify/delivery/outcome.ts';
import { MetricSeries } from '../../daemon/backend/notify/delivery/metric-series.ts';
import type { Clock } from '../../daemon/backend/ports.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { CommandRunner } from '../../daemon/command/command-runner.ts';
import { MonError } from '../../shared/errors.ts';
import { handlerSchema, type RunningHandler } from '../../shared/schemas/handler.ts';
import type { HandlerJob } from '../../shared/schemas/handler-job.ts';
import type { MutatorDefinition } from '../../shared/schemas/mutator.ts';
import { aJob } from './a-job.ts';
import { RecordedLog } from './recorded-log.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';

interface RigOptions {
  readonly mutators?: Readonly<Record<string, MutatorDefinition>>;
  readonly networks?: readonly string[];
  /** IP addresses by host name; default: host names are resolved by this machine. */
  readonly names?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly remove?: HandlerRunnerDependencies['clients']['remove'];
  /** The registry that contains the clients; default: one without clients. */
  readonly registry?: Registry;
  /** The setting `public-url`; default: none. */
  readonly publicUrl?: string;
}

/** Parameters of one run of a handler. */
interface RunOptions {
  readonly job?: Partial<HandlerJob>;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
}

/** Runs handlers as the backend does, one at a time. */
export class DeliveryRig {
  readonly log = new RecordedLog();
  /** Transport messages that handlers published on the feed. */
  readonly published: { readonly transport: string; readonly data: string }[] = [];
  readonly delivery: HandlerRunner;
  /** Controller of the signal that a backend aborts when it begins to stop. */
  readonly stopping = new AbortController();

  constructor({
    mutators = {},
    networks = [],
    names,
    clock = new SystemClock(),
    remove,
    registry = new Registry(TABLES),
    publicUrl,
  }: RigOptions = {}) {
    const commands = new CommandRunner({ clock, log: this.log, random: () => 0 });
    onTestFinished(() => commands[Symbol.asyncDispose]());
    this.delivery = new HandlerRunner({
      definitions: new Definitions({
        checks: new Map(),
        handlers: new Map(),
        mutators: new Map(Object.entries(mutators)),
      }),
      clock,
      log: this.log,
      metricSeries: new MetricSeries(clock),
      commands,
      feed: { publish: (transport, _namespace, data) => void this.published.push({ transport, data }) },
      clients: { remove: remove ?? (() => Promise.reject(new MonError('not_found', 'there are no clients here'))) },
      registry,
      alwaysAllowedNetworks: () => networks,
      publicUrl: () => publicUrl,
      buttonsOf: (job, handler) => messageButtons(job, handler, publicUrl),
      stopSignal: this.stopping.signal,
      ...(names === undefined ? {} : { lookUp: (name) => lookUp(names, name) }),
    });
    onTestFinished(() => this.delivery[Symbol.dispose]());
  }

  /**
   * Runs a handler once, and returns the outcome.
   *
   * @param definition definition of the handler as in a configuration; it must be valid
   */
  async run(definition: Readonly<Record<string, unknown>>, options: RunOptions = {}): Promise<DeliveryOutcome> {
    return await this.#deliver(handlerSchema.parse(definition) as RunningHandler, options);
  }

  async runBuiltIn(handler: string, options: RunOptions = {}): Promise<DeliveryOutcome> {
    return await this.#deliver(undefined, { ...options, job: { ...options.job, handler } });
  }

  /** The only record of the log. Throws an error if there is none, or more than one. */
  get record(): RecordedLog['records'][number] {
    const [record, ...others] = this.log.records;
    if (record === undefined || others.length > 0)
      throw new Error(`not one record: ${JSON.stringify(this.log.records)}`);
    return record;
  }

  async #deliver(
    handler: RunningHandler | undefined,
    { job = {}, attempt = 1, signal = new AbortController().signal }: RunOptions,
  ): Promise<DeliveryOutcome> {
    return await this.delivery.deliver(aJob(job), handler, attempt, signal);
  }
}

function lookUp(
  names: Readonly<Record<string, string>>,
  name: string,
): ReturnType<NonNullable<HandlerRunnerDependencies['lookUp']>> {
  const address = names[name];
  return address === undefined
    ? Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`))
    : Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
}
