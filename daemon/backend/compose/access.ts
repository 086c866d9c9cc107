import { connectionLimits } from '../../../shared/domain/connection-limits.ts';
import { CONNECTION_BUFFER_MIB } from '../../../shared/schemas/fixed-limits.ts';
import { Authenticator } from '../access/authenticator.ts';
import type { Bcrypt } from '../access/bcrypt.ts';
import { CallerResolver } from '../access/caller.ts';
import { writeLocalAccess, localUrlOf } from '../access/local-access.ts';
import { LocalToken } from '../access/local-token.ts';
import { Passwords } from '../access/password.ts';
import type { BackendStatus } from '../health/backend-status.ts';
import { Connections } from '../http/connections.ts';
import { SlowPeers } from '../http/slow-peers.ts';
import { openFilesMax } from '../store/open-files.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { Writers } from './writers.ts';

const MIB_BYTES = 1024 * 1024;

/** Time after which a connection is closed if its client reads no data; the feed has a shorter limit. */
const READ_STALL_MS = 60_000;

interface AccessDependencies {
  readonly bcrypt: Bcrypt;
  readonly writers: Pick<Writers, 'apiKeys' | 'sessions' | 'credentialVersions'>;
  readonly status: BackendStatus;
}

/** The components that limit connections and authenticate callers. */
export interface AccessControl {
  readonly callers: CallerResolver;
  readonly connections: Connections;
  readonly slowPeers: SlowPeers;
  /** The token with which programs on this host use the API as local administrator. */
  readonly localToken: string;
  readonly authenticator: Authenticator;
}

export function openAccess(
  foundation: Foundation,
  { bcrypt, writers, status }: AccessDependencies,
  teardown: Teardown<PartName>,
): AccessControl {
  const { config, registry, tls, clock, log } = foundation;
  const callers = new CallerResolver(() => config.program['trusted-proxies']);
  const connections = teardown.use('connections', countConnections(foundation, callers));
  const slowPeers = teardown.use('slow peers', watchSlowPeers(foundation));
  const { token, text: localToken } = LocalToken.make();
  const authenticator = new Authenticator({
    config,
    localToken: token,
    endpoint: status,
    registry,
    passwords: new Passwords(bcrypt),
    apiKeys: writers.apiKeys,
    sessions: writers.sessions,
    versions: writers.credentialVersions,
    certificates: tls,
    certificateRules: () => config.program['certificate-namespaces'],
    clock,
    log,
  });
  return { callers, connections, slowPeers, localToken, authenticator };
}

function countConnections({ config, clock, log }: Foundation, callers: CallerResolver): Connections {
  const filesMax = openFilesMax();
  return new Connections({
    limits: () => {
      const { 'connection-limit': all, 'connection-limit-per-address': perAddress } = config.program;
      return connectionLimits(all, perAddress, filesMax);
    },
    isShared: (address) => callers.isShared(address),
    clock,
    log,
  });
}

function watchSlowPeers({ config, clock, log }: Foundation): SlowPeers {
  return new SlowPeers({
    limits: () => {
      const { 'buffer-limit': all } = config.program;
      return { all: all * MIB_BYTES, bytesPerPeer: CONNECTION_BUFFER_MIB * MIB_BYTES, stallMs: READ_STALL_MS };
    },
    clock,
    log,
  });
}

/** Writes the token for programs on this host, if these programs can reach the API listener on a loopback address. */
export async function openLocalAccess(
  { localDirectories, bind, log }: BackendOptions,
  { url, token }: { readonly url: string; readonly token: string },
  teardown: Teardown<PartName>,
): Promise<void> {
  const localUrl = localUrlOf(url, bind);
  if (localDirectories === undefined || localUrl === undefined) return;
  teardown.use('local access', await writeLocalAccess({ url: localUrl, token }, localDirectories, log));
}
