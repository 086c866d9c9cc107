import { v2HandledEvent } from '../../../../shared/domain/v2/handled-event.ts';
import { isMetricFormat } from '../../../../shared/domain/metrics/event-points.ts';
import { mailOf } from '../../../../shared/domain/message/mail.ts';
import type { MessageSubject } from '../../../../shared/domain/message/message-renderer.ts';
import { buildGroupDocument, redactGroup } from '../../../../shared/domain/notify/group-document.ts';
import type { MessageButtons } from '../../../../shared/domain/chat/button.ts';
import {
  isPreset,
  presetRequest,
  type PresetHandler,
  type PresetRequest,
} from '../../../../shared/domain/message/preset-request.ts';
import type { ServiceRequest } from '../../../../shared/domain/message/service.ts';
import { redactEvent } from '../../../../shared/domain/redact.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import type { GroupRun, HandledEvent, HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { CommandRunner } from '../../../command/command-runner.ts';
import type { Log } from '../../../log/log.ts';
import type { Definitions, NamespaceDefinitions } from '../../model/config/definitions.ts';
import type { Clock } from '../../ports.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { TargetResolver } from './addresses.ts';
import { jobLogFields } from './log-fields.ts';
import { runDebugHandler } from './debug.ts';
import { runDeregistrationHandler, type ClientRemover } from './deregister.ts';
import { sendMail } from './email.ts';
import type { MetricSeries } from './metric-series.ts';
import { runMutator, type MutatorOutcome } from './mutate.ts';
import type { NameResolver } from './name-lookups.ts';
import {
  DELIVERED_OUTCOME,
  permanentFailure,
  BACKEND_STOPPING,
  type DeliveryOutcome,
  type DeliveryFailure,
} from './outcome.ts';
import { buildPreview } from './preview.ts';
import { runPipeHandler } from './pipe.ts';
import { sendTcp } from './tcp.ts';
import { TRANSPORT_MESSAGE_BYTES_MAX, sendToFileAndSocket, type TransportHandler } from './transport-handler.ts';
import { sendUdp } from './udp.ts';
import { WebhookSender } from './webhook.ts';
import { runWithTimeLimit } from './time-limit.ts';

export interface HandlerRunnerDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs the commands of `pipe` handlers and of mutators. */
  readonly commands: Pick<CommandRunner, 'run'>;
  /** The live feed, to which `transport` handlers publish. */
  readonly feed: { publish(transport: string, namespace: string, data: string): void };
  /** Removes the client of an event for the built-in handler `deregistration`. */
  readonly clients: ClientRemover;
  /** Stores the metrics of the events that the built-in handler `prometheus` gets. */
  readonly metricSeries: Pick<MetricSeries, 'storeMetrics'>;
  /**
   * The registry, in which the built-in handler `deregistration` checks whether a client has sent a keepalive again.
   */
  readonly registry: Pick<Registry, 'namespace'>;
  /**
   * Returns the current setting `handler-networks`: the networks, in CIDR notation, that handlers may always send to.
   */
  readonly alwaysAllowedNetworks: () => readonly string[];
  /** Returns the current setting `public-url`: the base URL of links to events; undefined if it is not set. */
  readonly publicUrl: () => string | undefined;
  /** Returns the buttons of a chat message; undefined if it has none. */
  readonly buttonsOf?: (job: HandlerJob, handler: PresetHandler) => MessageButtons | undefined;
  /** A signal that is aborted when the backend begins to stop. It ends handler tests in progress at once. */
  readonly stopSignal: AbortSignal;
  /** Resolves a host name to all its addresses; default: the resolver of this machine. */
  readonly lookUp?: NameResolver;
}

/**
 * Time limit of a handler test in seconds. It is shorter than 30 seconds, after which API clients stop waiting for a
 * response.
 */
const HANDLER_TEST_SECONDS_MAX = 25;

/** One attempt to run the handler of a job. */
interface DeliveryAttempt {
  readonly job: HandlerJob;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly mutators: Pick<NamespaceDefinitions, 'mutator'>;
  /** Log fields that identify the handler run and the attempt. */
  readonly logFields: object;
  /** Called with each response of the receiver, as one line of text. */
  readonly onResponse?: (response: string) => void;
}

/** The result of a handler test. */
interface HandlerTestResult {
  readonly outcome: DeliveryOutcome;
  /**
   * The last response of the receiver, as one line of text. It is undefined unless the handler is a webhook whose
   * receiver responded, or an email handler whose server accepted the mail.
   */
  readonly response: string | undefined;
}

/** The event or group that a handler sends. It is redacted if the handler must not get secrets. */
interface DeliverySubject {
  readonly event: HandledEvent;
  readonly group?: GroupRun | undefined;
}

/** The event or group that a handler sends, and the output of the mutator for it. */
interface MutatedSubject extends DeliverySubject {
  readonly data: string;
}

/**
 * Runs handlers: passes each event through the mutator of the handler and sends the output to the receiver. When the
 * runner is disposed, it closes the webhook connections that are kept open.
 */
export class HandlerRunner implements Disposable {
  readonly #deps: HandlerRunnerDependencies;
  readonly #targetResolver: TargetResolver;
  readonly #webhooks = new WebhookSender();

  constructor(deps: HandlerRunnerDependencies) {
    this.#deps = deps;
    this.#targetResolver = new TargetResolver(deps);
  }

  /**
   * Runs the mutator for the event or group of a job and sends the output to the receiver. Never rejects: a failure is
   * returned as the outcome.
   *
   * @param handler the current definition of the handler; undefined for a built-in handler
   * @param attempt 1 for the first attempt
   * @param signal aborted when a stopping backend cannot wait any longer for the run; a failed outcome then says
   * nothing about the receiver
   */
  async deliver(
    job: HandlerJob,
    handler: RunningHandler | undefined,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const mutators = this.#deps.definitions.inNamespace(job.namespace);
    return await this.#runHandler(
      { job, attempt, signal, mutators, logFields: attemptLogFields(job, attempt) },
      handler,
    );
  }

  /** Runs a handler once as a test, within a time limit. Returns the outcome and the response of the receiver. */
  async runTest(job: HandlerJob, handler: RunningHandler): Promise<HandlerTestResult> {
    let lastResponse: string | undefined;
    const onResponse = (text: string): void => void (lastResponse = text);
    const outcome = await this.#runWithinTestLimit(job, (run) => this.#runHandler({ ...run, onResponse }, handler));
    return { outcome, response: lastResponse };
  }

  /**
   * Runs the mutator for a job and returns what the handler would send, for display. Secrets are redacted even if the
   * definition of the handler has `redact: false`.
   */
  async preview(job: HandlerJob, handler: RunningHandler): Promise<Record<string, unknown>> {
    const subject = redactSubject(job);
    const mutation = await this.#runWithinTestLimit(job, (run) => this.#mutate(subject, handler, run));
    if (mutation.kind === 'failed') return { problems: [mutation.reason] };
    const { data } = mutation;
    return buildPreview(handler, {
      job,
      mutatorOutput: data,
      subject: maskButtons(this.#messageSubject(handler, { ...subject, data }, job)),
    });
  }

  /**
   * Builds the message of a chat handler about an event anew, after a click on one of its buttons.
   *
   * @param note the line about the click
   * @returns undefined if the mutator of the handler fails
   */
  async rebuildMessage(job: HandlerJob, handler: PresetHandler, note: string): Promise<PresetRequest | undefined> {
    const subject = (handler.redact ?? true) ? redactSubject(job) : job;
    const mutation = await this.#runWithinTestLimit(job, (run) => this.#mutate(subject, handler, run));
    if (mutation.kind === 'failed') return undefined;
    return presetRequest(handler, { ...this.#messageSubject(handler, { ...subject, ...mutation }, job), note });
  }

  /**
   * Sends a request to the service of a chat handler, once: the answer to a click. Never rejects. The headers and the
   * signature of the handler are not sent, because the URL can be that of another host.
   */
  async sendToService(handler: PresetHandler, request: ServiceRequest): Promise<DeliveryOutcome> {
    const { clock, stopSignal: signal } = this.#deps;
    const { headers: _headers, secret: _secret, ...others } = handler;
    try {
      return await this.#webhooks.send(
        { job: undefined, handler: others, bodyOrRequest: { ...request, problems: [] } },
        { targetResolver: this.#targetResolver, clock, signal },
      );
    } catch (error) {
      return permanentFailure(errorMessage(error));
    }
  }

  [Symbol.dispose](): void {
    this.#webhooks[Symbol.dispose]();
  }

  /**
   * Runs a handler test or a preview within the time limit for tests. Without this limit, a command that has no timeout
   * might never end.
   */
  async #runWithinTestLimit<Result>(
    job: HandlerJob,
    execute: (run: DeliveryAttempt) => Promise<Result>,
  ): Promise<Result | DeliveryFailure> {
    const { clock, definitions, stopSignal } = this.#deps;
    const mutators = definitions.inNamespace(job.namespace);
    return await runWithTimeLimit({ clock, seconds: HANDLER_TEST_SECONDS_MAX, signal: stopSignal }, async (signal) => {
      const result = await execute({ job, attempt: 1, signal, mutators, logFields: attemptLogFields(job, 1) });
      signal.throwIfAborted();
      return result;
    });
  }

  async #runHandler(run: DeliveryAttempt, handler: RunningHandler | undefined): Promise<DeliveryOutcome> {
    try {
      return await (handler === undefined ? this.#runBuiltIn(run) : this.#runDefined(handler, run));
    } catch (error) {
      this.#deps.log.error({ ...run.logFields, err: error }, 'handler failed');
      return permanentFailure(errorMessage(error));
    }
  }

  async #runBuiltIn({ job, logFields }: DeliveryAttempt): Promise<DeliveryOutcome> {
    const { clients, registry, metricSeries, log } = this.#deps;
    switch (job.handler) {
      case 'debug':
        return runDebugHandler(job.event, log, logFields);
      case 'prometheus':
        return this.#logFailure(metricSeries.storeMetrics(job.namespace, job.event), logFields);
      case 'deregistration':
        return this.#logFailure(await runDeregistrationHandler(job, { clients, registry, log, logFields }), logFields);
      default:
        return permanentFailure('handler is not defined');
    }
  }

  async #runDefined(handler: RunningHandler, run: DeliveryAttempt): Promise<DeliveryOutcome> {
    // Webhooks and mails usually leave the machine, so secrets in them are redacted by default (completion, Decisions).
    const isRedacted = handler.redact ?? (handler.type === 'webhook' || handler.type === 'email');
    const subject = isRedacted ? redactSubject(run.job) : run.job;
    const mutation = await this.#mutate(subject, handler, run);
    if (mutation.kind === 'failed') return mutation;
    // If the check output contains no measurements, for example because the check failed, a metrics mutator returns an
    // empty text. Then there is nothing to send.
    const { mutator } = handler;
    if (mutation.data === '' && mutator !== undefined && isMetricFormat(mutator)) return DELIVERED_OUTCOME;
    const { event, group } = subject;
    return await this.#send(handler, { event, group, data: mutation.data }, run);
  }

  async #mutate(
    { event, group }: DeliverySubject,
    { mutator, event_format: format }: RunningHandler,
    { job, signal, mutators, logFields }: DeliveryAttempt,
  ): Promise<MutatorOutcome> {
    const { commands, log } = this.#deps;
    const deps = { definitions: mutators, commands, log, signal, logFields };
    if (group !== undefined) {
      const formatGroup = (): string => JSON.stringify(buildGroupDocument({ ...job, group }, format));
      return await runMutator(event, mutator, { ...deps, formatEvent: formatGroup });
    }
    if (format !== 'core') return await runMutator(event, mutator, deps);
    const formatV2Event = (handledEvent: HandledEvent): string =>
      JSON.stringify(v2HandledEvent(job.namespace, handledEvent));
    return await runMutator(event, mutator, { ...deps, formatEvent: formatV2Event });
  }

  async #send(handler: RunningHandler, mutatedSubject: MutatedSubject, run: DeliveryAttempt): Promise<DeliveryOutcome> {
    const { data } = mutatedSubject;
    const { job, signal, logFields } = run;
    const { clock, log, commands } = this.#deps;
    const networkDeps = { targetResolver: this.#targetResolver, clock, signal, onResponse: run.onResponse };
    switch (handler.type) {
      case 'pipe':
        return await runPipeHandler(handler, data, { commands, log, signal, logFields });
      case 'tcp':
        return this.#logFailure(
          await sendTcp({ data, target: handler.socket, timeoutSeconds: handler.timeout }, networkDeps),
          logFields,
        );
      case 'udp':
        return this.#logFailure(await sendUdp({ data, target: handler.socket }, networkDeps), logFields);
      case 'webhook': {
        if (!isPreset(handler))
          return this.#logFailure(
            await this.#webhooks.send({ job, handler, bodyOrRequest: data }, networkDeps),
            logFields,
          );
        const request = presetRequest(handler, this.#messageSubject(handler, mutatedSubject, job));
        this.#logTemplateProblems(request, logFields);
        return this.#logFailure(
          await this.#webhooks.send({ job, handler, bodyOrRequest: request }, networkDeps),
          logFields,
        );
      }
      case 'email': {
        const mail = mailOf(handler, this.#messageSubject(handler, mutatedSubject, job));
        this.#logTemplateProblems(mail, logFields);
        return this.#logFailure(await sendMail({ job, handler, mail }, { ...networkDeps, log, logFields }), logFields);
      }
      case 'transport': {
        const publishOutcome = await this.#publish(handler, data, run);
        return publishOutcome.kind === 'failed'
          ? publishOutcome
          : this.#logFailure(await sendToFileAndSocket(data, handler, networkDeps), logFields);
      }
    }
  }

  /**
   * Returns the values that message templates can use. If the handler has a mutator, the mutator output replaces the
   * check output.
   */
  #messageSubject(handler: RunningHandler, { event, group, data }: MutatedSubject, job: HandlerJob): MessageSubject {
    const output = handler.mutator === undefined ? undefined : data;
    const { clock, publicUrl, buttonsOf } = this.#deps;
    const buttons = isPreset(handler) ? buttonsOf?.(job, handler) : undefined;
    return { namespace: job.namespace, event, group, output, publicUrl: publicUrl(), buttons, nowMs: clock.now() };
  }

  #logTemplateProblems({ problems }: { readonly problems: readonly string[] }, logFields: object): void {
    for (const problem of problems)
      this.#deps.log.warn({ ...logFields, problem }, 'an expression in a message template has no value');
  }

  /**
   * Publishes the message of a transport handler to the live feed at the first attempt. Further attempts only retry the
   * file and the socket of the handler. The event is redacted, because all readers of the feed may see the message.
   */
  async #publish(handler: TransportHandler, data: string, run: DeliveryAttempt): Promise<DeliveryOutcome> {
    const bytes = Buffer.byteLength(data);
    if (bytes > TRANSPORT_MESSAGE_BYTES_MAX) {
      const limit = String(TRANSPORT_MESSAGE_BYTES_MAX);
      const reason = `${String(bytes)} bytes are more than the ${limit} that a transport takes: use a mutator that makes less of the event`;
      return this.#logFailure(permanentFailure(reason), run.logFields);
    }
    if (run.attempt > 1) return DELIVERED_OUTCOME;
    const { event } = run.job;
    const redactedEvent = redactEvent(event);
    const isAlreadyRedacted = handler.redact === true || redactedEvent === event;
    const message: MutatorOutcome = isAlreadyRedacted
      ? { kind: 'mutated', data }
      : await this.#mutate({ event: redactedEvent }, handler, run);
    if (message.kind === 'failed') return message;
    this.#deps.feed.publish(handler.pipe.name, run.job.namespace, message.data);
    return DELIVERED_OUTCOME;
  }

  /** Logs why a delivery failed, unless the backend is stopping, and returns the outcome. */
  #logFailure(outcome: DeliveryOutcome, logFields: object): DeliveryOutcome {
    if (outcome.kind === 'failed' && outcome !== BACKEND_STOPPING) {
      this.#deps.log.error({ ...logFields, reason: outcome.reason }, 'handler error');
    }
    return outcome;
  }
}

/** Returns the log fields that identify a handler run and its attempt. */
function attemptLogFields(job: HandlerJob, attempt: number): object {
  return { ...jobLogFields(job), attempt };
}

function redactSubject({ event, group }: HandlerJob): DeliverySubject {
  return { event: redactEvent(event), group: group && redactGroup(group) };
}

/** Returns the subject of a preview, in which the signatures of buttons and the URL for their clicks are masked. */
function maskButtons(subject: MessageSubject): MessageSubject {
  const { buttons } = subject;
  if (buttons === undefined) return subject;
  const masked = buttons.buttons.map(({ action, label }) => ({ action, label, value: REDACTED }));
  return { ...subject, buttons: { callbackUrl: REDACTED, buttons: masked } };
}

/** The text that replaces a secret in a preview. */
const REDACTED = 'REDACTED';
