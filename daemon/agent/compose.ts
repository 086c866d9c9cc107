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
import type { LoadedConfig } from './load-config.ts';
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

/** What running checks get to finish when the agent stops (reliability 11). */
const RUNNING_GRACE_MS = 10_000;
/** What their results get to be acknowledged; the others wait in the spool for the next start. */
const DELIVERY_GRACE_MS = 2000;

/** What is dated in the future does no harm to a backend, while what is dated in the past looks stale. */
const ADOPT_BACK_AFTER_MS = 600_000;

export interface AgentConfig {
  /** In the order in which they are tried. */
  readonly backends: readonly AgentAddress[];
  /** How it speaks TLS; default: as Node.js does. */
  readonly tls?: () => ConnectOptions;
  /** Of the backend, in which this client is. */
  readonly namespace: string;
  readonly identity: ClientIdentity;
  readonly checks: LoadedConfig['checks'];
  /** Everything that was read, for whoever may ask for it on this machine. */
  readonly settings: Settings;
  /** Every configuration file that was read. */
  readonly files: readonly string[];
  readonly stateDir: string;
  /** Checks that run at once. */
  readonly runningMax: number;
}

interface Surroundings {
  /** Of the machine, which somebody may set. */
  readonly clock: MachineClock;
  readonly log: Log;
  /** 0 to below 1, evenly spread. */
  readonly chance: () => number;
}

export interface Agent {
  /** Looks for a backend from now on; checks run and are spooled already. */
  connect(): void;
  /**
   * Starts nothing more, lets checks and deliveries finish for some seconds, then ends.
   *
   * @param how `comesBack`: with another configuration at once, so the client is not deregistered
   */
  stop(how?: { readonly comesBack: boolean }): Promise<void>;
  /** Kills the checks that `stop` is waiting for. */
  hurry(): Promise<void>;
}

/** @throws MonError `conflict` when another agent holds the state directory, `invalid` when it can never be used */
export async function compose(
  { backends, tls, namespace, identity, checks, settings, files, stateDir, runningMax }: AgentConfig,
  { clock: machine, log, chance }: Surroundings,
): Promise<Agent> {
  const clock = new SteadyClock(machine, { adoptAfterMs, onJump: (jump) => sayJump(log, jump) });
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
  /** Delivers a result of a local program, which gets an answer once the result is safe. */
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
    chance,
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
    // Told later, by the next start, it would take a client away that has come back.
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
    hurry: () => runner.stop(0),
  };
}

/** All that an agent waits for runs by itself, so a clock that was set right can be believed soon. */
function adoptAfterMs(seconds: number): number {
  return seconds > 0 ? 0 : ADOPT_BACK_AFTER_MS;
}

function sayJump(log: Log, { seconds }: ClockJump): void {
  const adopted = seconds > 0 ? 'new results use its time immediately' : 'new results use its time after ten minutes';
  log.warn({ seconds }, `system clock was set: ${adopted}, schedules do not change`);
}
