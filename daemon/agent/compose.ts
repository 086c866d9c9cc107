import type { BackendAddress } from '../../shared/client/backend-address.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { Client } from '../../shared/schemas/client.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import type { Log } from '../log/log.ts';
import type { ClientIdentity } from './client-record.ts';
import type { AgentDefinitions } from './config.ts';
import type { Clock, DeliverResult } from './ports.ts';
import { ResultSocket } from './result-socket.ts';
import { openCheckRunner, withLocalDefinition } from './run-check.ts';
import { scheduleStandalone } from './schedule-standalone.ts';
import { sendKeepalives } from './send-keepalives.ts';
import { openSpool } from './spool.ts';

/** What running checks get to finish when the agent stops (design, reliability 11). */
const RUNNING_GRACE_MS = 10_000;
/** What their results get to be acknowledged; the others wait in the spool for the next start. */
const DELIVERY_GRACE_MS = 2000;

export interface AgentConfig {
  readonly backend: BackendAddress;
  readonly identity: ClientIdentity;
  readonly checks: AgentDefinitions['checks'];
  readonly stateDir: string;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** 0 to below 1, evenly spread. */
  readonly chance: () => number;
}

export interface Agent {
  /** Starts nothing more, lets checks and deliveries finish for some seconds, then ends. */
  stop(): Promise<void>;
  /** Kills the checks that `stop` is waiting for. */
  hurry(): Promise<void>;
}

/** @throws MonError `conflict` when another agent holds the state directory, `unavailable` when it cannot be used */
export async function compose(
  { backend, identity, checks, stateDir }: AgentConfig,
  { clock, log, chance }: Surroundings,
): Promise<Agent> {
  await using parts = new AsyncDisposableStack();
  const spool = parts.use(await openSpool(stateDir));

  const deliver: DeliverResult = async (result) => {
    await spool.append(result);
    socket.wake();
  };
  const runner = openCheckRunner({ clock, log, deliver });
  const onCheckRequest = (request: CheckRequest): void => {
    const local = checks.get(request.name);
    if (identity.safe_mode === true && local === undefined) runner.refuse(request);
    else runner.start(withLocalDefinition(request, local));
  };
  const client = (): Client => ({ ...identity, timestamp: Math.floor(clock.now() / 1000), version: VERSION });
  const socket = new ResultSocket({
    ...backend,
    spool,
    clock,
    log,
    chance,
    client,
    signature: identity.signature ?? undefined,
    onWelcome: () => socket.sendKeepalive(),
    onCheckRequest,
  });
  parts.defer(() => socket.close(DELIVERY_GRACE_MS));
  parts.defer(() => runner.stop(RUNNING_GRACE_MS));
  parts.use(sendKeepalives(clock, () => socket.sendKeepalive()));
  parts.use(scheduleStandalone({ client: identity.name, checks, clock, start: runner.start }));

  const running = parts.move();
  return { stop: () => running.disposeAsync(), hurry: () => runner.stop(0) };
}
