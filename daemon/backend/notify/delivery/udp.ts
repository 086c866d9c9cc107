import { createSocket } from 'node:dgram';
import { promisify } from 'node:util';
import { DELIVERED, failedForGood, type DeliveryOutcome } from './outcome.ts';
import type { NetworkDeps } from './tcp.ts';
import { withinLimit } from './within-limit.ts';

/** Time limit in seconds for one datagram. Only the look-up of the host takes time. */
const TIMEOUT = 10;

/** Maximum payload of a UDP datagram over IPv4, in bytes: 65,535 less the headers of IP and UDP. */
const DATAGRAM_BYTES_MAX = 65_507;

/**
 * Sends the data as one UDP datagram. The outcome `delivered` only means that it was sent: UDP has no acknowledgment.
 */
export async function sendUdp(
  { data, to }: { readonly data: string; readonly to: { readonly host: string; readonly port: number } },
  { addresses, clock, signal }: NetworkDeps,
): Promise<DeliveryOutcome> {
  const bytes = Buffer.from(data);
  if (bytes.length > DATAGRAM_BYTES_MAX) return tooLarge(bytes);
  return await withinLimit({ clock, seconds: TIMEOUT, signal }, async (limit) => {
    const [{ address, family }] = await addresses.written(to.host, 'own-network', limit);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    socket.on('error', () => undefined);
    try {
      await promisify<Buffer, number, string>(socket.send.bind(socket))(bytes, to.port, address);
      return DELIVERED;
    } catch (error) {
      // The operating system may have a lower limit for datagrams.
      if (error instanceof Error && 'code' in error && error.code === 'EMSGSIZE') return tooLarge(bytes);
      throw error;
    } finally {
      socket.close();
    }
  });
}

function tooLarge(bytes: Buffer): DeliveryOutcome {
  return failedForGood(
    `${String(bytes.length)} bytes are too many for one datagram: use a mutator that makes less of the event, or tcp`,
  );
}
