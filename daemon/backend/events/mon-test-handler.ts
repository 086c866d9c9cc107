import { randomUUID } from 'node:crypto';
import { MON_API } from '../../../shared/api/mon.ts';
import { sampleEvent } from '../../../shared/domain/message/sample-event.ts';
import { MonError } from '../../../shared/errors.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { HandlerTest } from '../../../shared/schemas/handler-test.ts';
import { isRunningHandler, type RunningHandler } from '../../../shared/schemas/handler.ts';
import { actorOf } from '../access/actor.ts';
import { auditTarget, type Audit } from '../model/audit/mutations.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { HandlerRunner } from '../notify/delivery/deliver.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { requestedNamespace, type NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { readEvent, unstoredJob } from './unstored-job.ts';

interface HandlerTestDependencies extends NamespaceDependencies {
  readonly audit: Pick<Audit, 'record'>;
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'definitions'>;
  readonly delivery: Pick<HandlerRunner, 'preview' | 'runTest'>;
  readonly store: Store;
}

/** Maximum number of handler tests that run at once: each may start a process or wait for a slow server. */
const TESTS_MAX = 5;

const validateTest = bodyValidator(MON_API.testHandler);

/**
 * Serves the route that tests a handler: it sends one notification, bypassing the queue and the filters of the handler,
 * or only shows the notification (completion 1.23).
 */
export function handlerTestOnMon(deps: HandlerTestDependencies): MonHandlers<'testHandler'> {
  const { audit, clock, config, delivery } = deps;
  let running = 0;
  const begin = (): Disposable => {
    if (running === TESTS_MAX) {
      throw new MonError(
        'unavailable',
        `${String(TESTS_MAX)} handlers are being tested: try again when one of them has finished`,
      );
    }
    running++;
    return { [Symbol.dispose]: () => void running-- };
  };
  return {
    testHandler: async (request): Promise<HandlerTest> => {
      const name = pathName(request, 'handler');
      const namespace = requestedNamespace(request, deps);
      const { client, check, dry_run: isDry } = readBody(request, validateTest);
      const handler = runningHandler(config.definitions.inNamespace(namespace.name).handler(name), name);
      const event =
        client === undefined || check === undefined
          ? sampleEvent(name, { id: randomUUID(), nowMs: clock.now() })
          : await presentEvent(deps, namespace, client, check);
      const job = unstoredJob(event, { name, handler }, namespace.name, clock.now());
      const after = { client: job.client, check: job.check };
      const subject = { handler: name, type: handler.type, ...after };
      using ends = new DisposableStack();
      ends.use(begin());
      const preview = await delivery.preview(job, handler);
      if (isDry) return { ...subject, preview, outcome: null };
      await audit.record(actorOf(request), {
        action: 'handler.test',
        target: auditTarget(namespace.name, name),
        after,
      });
      const begunMs = clock.monotonic();
      const { outcome, response } = await delivery.runTest(job, handler);
      const seconds = Math.round(clock.monotonic() - begunMs) / 1000;
      const details = { ...(response !== undefined && { response }), seconds };
      return {
        ...subject,
        preview,
        outcome:
          outcome.kind === 'delivered'
            ? { delivered: true, ...details }
            : { delivered: false, reason: outcome.reason, ...details },
      };
    },
  };
}

/** @throws MonError `not_found` if the handler is not defined, `invalid` if it is a handler set or an escalation */
function runningHandler(
  handler: ReturnType<ReturnType<ConfigInForce['definitions']['inNamespace']>['handler']>,
  name: string,
): RunningHandler {
  if (handler === undefined) throw new MonError('not_found', `there is no handler ${name}`);
  if (isRunningHandler(handler)) return handler;
  if (handler.type === 'escalation') {
    const names = [...new Set(handler.steps.flatMap(({ notify }) => notify))];
    throw new MonError('invalid', `${name} is an escalation: test the handlers of its steps: ${names.join(', ')}`);
  }
  throw new MonError('invalid', `${name} is a set: test its members ${handler.handlers.join(', ')}`);
}

/** @throws MonError `not_found` if no event of the check is open */
async function presentEvent(
  { store, clock }: HandlerTestDependencies,
  namespace: Namespace,
  client: string,
  check: string,
): Promise<HandledEvent> {
  const entry = namespace.check(client, check);
  const event = entry === undefined ? undefined : await readEvent(store, entry, clock.now());
  if (event === undefined) throw new MonError('not_found', `there is no event of ${client}/${check}`);
  return event;
}
