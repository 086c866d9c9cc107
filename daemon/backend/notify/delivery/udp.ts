import { createSocket } from 'node:dgram';
import { promisify } from 'node:util';
import { DELIVERED_OUTCOME, permanentFailure, type DeliveryOutcome } from './outcome.ts';
import type { NetworkDependencies } from './tcp.ts';
import { runWithTimeLimit } from './time-limit.ts';

/** Time limit in seconds for one datagram. Only the look-up of the host takes time. */
const TIMEOUT_SECONDS = 10;

/** Maximum payload of a UDP datagram over IPv4, in bytes: 65,535 less the headers of IP and UDP. */
const DATAGRAM_BYTES_MAX = 65_507;

/**
 * Sends the data as one UDP datagram. The outcome `delivered` only means that the datagram was sent: UDP has no
 * acknowledgment.
 */
export async function sendUdp(
  { data, target }: { readonly data: string; readonly target: { readonly host: string; readonly port: number } },
  { targetResolver, clock, signal }: NetworkDependencies,
): Promise<DeliveryOutcome> {
  const bytes = Buffer.from(data);
  if (bytes.length > DATAGRAM_BYTES_MAX) return datagramTooLarge(bytes);
  return await runWithTimeLimit({ clock, seconds: TIMEOUT_SECONDS, signal }, async (limitSignal) => {
    const [{ address, family }] = await targetResolver.resolveConfiguredHost(target.host, 'own-network', limitSignal);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    socket.on('error', () => undefined);
    try {
      await promisify<Buffer, number, string>(socket.send.bind(socket))(bytes, target.port, address);
      return DELIVERED_OUTCOME;
    } catch (error) {
      // The operating system may have a lower limit for datagrams.
      if (error instanceof Error && 'code' in error && error.code === 'EMSGSIZE') return datagramTooLarge(bytes);
      throw error;
    } finally {
      socket.close();
    }
  });
}

function datagramTooLarge(bytes: Buffer): DeliveryOutcome {
  return permanentFailure(
    `${String(bytes.length)} bytes are too many for one datagram: use a mutator that makes less of the event, or tcp`,
  );
}
