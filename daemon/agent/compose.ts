import type { AgentAddress } from './agent-address.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { deregistrationCheck } from '../../shared/domain/deregistration.ts';
import type { Settings } from '../../shared/domain/merge-settings.ts';
import type { ConnectOptions } from '../../shared/tls/client-tls.ts';
import type { MachineClock } from '../clock/machine-clock.ts';
import { SteadyClock, type ClockJump } from '../clock/steady-clock.ts';
import type { Log } from '../log/log.ts';
import { LoadedFiles } from '../private-files/loaded-files.ts';
import { machineEntity, publishedClient, secretKeys, type ClientIdentity } from './client-record.ts';
import type { LoadedAgentConfig } from './load-config.ts';
import { openInputs } from './open-inputs.ts';
import { withLocalDefinition } from './local-definition.ts';
import type { DeliverResult } from './ports.ts';
import { ResultSocket } from './result-socket.ts';
import { openCheckRunner } from './run-check.ts';
import { scheduleStandalone } from './schedule-standalone.ts';
import { sendKeepalives } from './send-keepalives.ts';
import { openSpool } from './spool.ts';
import { watchSpool } from './watch-spool.ts';
import { whenSafe } from './when-safe.ts';

/** Time for running checks to finish when the agent stops (reliability 11). */
const RUNNING_GRACE_MS = 10_000;
/**
 * Time for the backend to acknowledge results when the agent stops. Unacknowledged results stay in the spool until the
 * next start.
 */
const DELIVERY_GRACE_MS = 2000;

/**
 * Delay before the agent adopts the time of a system clock that was set back. A backend accepts results with a time in
 * the future, while results with a time in the past look stale.
 */
const ADOPT_BACK_AFTER_MS = 600_000;

export interface AgentConfig {
  /** The backends, in the order in which they are tried. */
  readonly backends: readonly AgentAddress[];
  /**
   * Returns the TLS options of the next connection. Default: options that trust the certificate authorities of Node.js.
   */
  readonly tls?: () => ConnectOptions;
  /** The namespace of this client on the backend. */
  readonly namespace: string;
  readonly identity: ClientIdentity;
  readonly checks: LoadedAgentConfig['checks'];
  /** All settings that were read, shown by the endpoint `/settings` of the agent's HTTP input. */
  readonly settings: Settings;
  /** The paths of all configuration files that were read. */
  readonly files: readonly string[];
  readonly stateDir: string;
  /** Maximum number of checks that run at once. */
  readonly runningMax: number;
}

interface AgentDependencies {
  /** The system clock, which can be set at any time. */
  readonly clock: MachineClock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
}

export interface Agent {
  /** Starts to connect to a backend. Even before this call, checks run and their results are spooled. */
  connect(): void;
  /**
   * Starts no more checks, gives running checks and unacknowledged results some seconds, then stops the agent.
   *
   * @param how `comesBack`: the agent restarts at once with another configuration, so the client is not deregistered
   */
  stop(how?: { readonly comesBack: boolean }): Promise<void>;
  /** Kills at once the running checks for which `stop` waits. */
  killRunningChecks(): Promise<void>;
}

/**
 * Starts the agent without a connection to a backend.
 *
 * @throws MonError `conflict` if another agent uses the state directory, `invalid` if the directory can never be used
 */
export async function composeAgent(
  { backends, tls, namespace, identity, checks, settings, files, stateDir, runningMax }: AgentConfig,
  { clock: machine, log, random }: AgentDependencies,
): Promise<Agent> {
  const clock = new SteadyClock(machine, { adoptAfterMs, onJump: (jump) => logClockJump(log, jump) });
  await using parts = new AsyncDisposableStack();
  const spool = parts.use(await openSpool(stateDir, { clock }));
  const loadedFiles = parts.use(new LoadedFiles(stateDir, log));
  await loadedFiles.write(files);

  const report = async (result: SubmittedResult): Promise<number> => {
    const id = await spool.append(result);
    socket.wake();
    return id;
  };
  const deliver: DeliverResult = async (result) => void (await report(result));
  /**
   * Spools a result of a local program. Resolves once the result is safe, so that the program can be sent its response.
   */
  const deliverSafely: DeliverResult = async (result) => await whenSafe(await report(result), { spool, clock });
  const now = (): number => Math.floor(clock.now() / 1000);
  const runner = openCheckRunner({
    client: identity,
    entity: machineEntity(namespace, identity),
    environment: loadedFiles.environment,
    clock,
    log,
    deliver,
    runningMax,
  });
  const onCheckRequest = (request: CheckRequest): void => {
    const local = checks.get(request.name);
    if (identity.safe_mode === true && local === undefined) runner.refuse(request);
    else runner.start(withLocalDefinition(request, local));
  };
  const socket = new ResultSocket({
    backends,
    ...(tls === undefined ? {} : { tls }),
    namespace,
    spool,
    clock,
    log,
    random,
    client: () => publishedClient(identity, now(), spool.trouble),
    signature: identity.signature ?? undefined,
    onWelcome: () => socket.sendKeepalive(),
    onCheckRequest,
  });
  parts.defer(() => {
    const { trouble } = spool;
    if (trouble !== undefined && trouble.unsaved > 0) {
      log.error(trouble, 'results in memory are lost unless they can be written to disk now');
    }
  });
  parts.defer(() => socket.close(DELIVERY_GRACE_MS));
  const onChange = (): void => {
    socket.wake();
    socket.sendKeepalive();
  };
  parts.use(watchSpool({ spool, clock, log, onChange }));
  let comesBack = false;
  parts.defer(async () => {
    if (identity.deregister !== true || comesBack) return;
    // Deregister only while connected: otherwise the next start of the agent would deliver this result, and so remove
    // the client that has come back.
    if (socket.isConnected) await deliver(deregistrationCheck(identity.deregistration, now()));
    else log.warn({}, 'client was not deregistered: the agent is not connected to a backend');
  });
  parts.defer(() => runner.stop(RUNNING_GRACE_MS));
  parts.use(sendKeepalives(clock, () => socket.sendKeepalive()));
  parts.use(scheduleStandalone({ client: identity.name, checks, clock, log, start: runner.start }));
  parts.use(
    await openInputs({
      client: identity,
      clock,
      log,
      deliver: deliverSafely,
      spoolTrouble: () => spool.trouble,
      settings: { ...settings, client: identity },
      redactKeys: secretKeys(identity),
      isConnected: () => socket.isConnected,
      waiting: () => spool.size,
    }),
  );

  const running = parts.move();
  return {
    connect: () => socket.connect(),
    async stop(how) {
      comesBack = how?.comesBack ?? false;
      await running.disposeAsync();
    },
    killRunningChecks: () => runner.stop(0),
  };
}

/**
 * Returns the delay in milliseconds before the agent uses the new time of a system clock that was set. The time of a
 * clock that was set forward is used at once, because check intervals do not depend on the wall clock.
 */
function adoptAfterMs(seconds: number): number {
  return seconds > 0 ? 0 : ADOPT_BACK_AFTER_MS;
}

function logClockJump(log: Log, { seconds }: ClockJump): void {
  const adopted = seconds > 0 ? 'results use the new time immediately' : 'results use the new time after ten minutes';
  log.warn({ seconds }, `system clock was set: ${adopted}, check schedules are not affected`);
}
