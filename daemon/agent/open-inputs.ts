import { errorMessage } from '../../shared/errors.ts';
import type { ClientIdentity } from './client-record.ts';
import type { EndpointDependencies } from './inputs/http-endpoints.ts';
import { openHttpInput } from './inputs/http-input.ts';
import { acceptLocalResults, type AcceptMessage } from './inputs/local-result.ts';
import { isLoopbackBind, openTcpInput, openUdpInput, type LocalInput } from './inputs/socket-input.ts';
import type { Clock } from '../clock/clock.ts';
import type { DeliverResult } from './ports.ts';

const SOCKET_DEFAULTS = { bind: '127.0.0.1', port: 3030 };
const HTTP_SOCKET_DEFAULTS = { bind: '127.0.0.1', port: 3031 };

interface InputsDependencies extends Omit<EndpointDependencies, 'accept'> {
  readonly client: ClientIdentity;
  readonly clock: Clock;
  readonly deliver: DeliverResult;
}

/**
 * Opens the TCP, UDP and HTTP inputs for results of local programs, except those that the client definition disables
 * (`socket` and `http_socket`, completion 1.10). If an address cannot be used, this is only logged, because the agent
 * can run checks without an input.
 */
export async function openInputs({ client, deliver, ...deps }: InputsDependencies): Promise<AsyncDisposable> {
  const { clock, log } = deps;
  const accept: AcceptMessage = async (message) => await acceptLocalResults(message, { clock, deliver });
  const inputs = new AsyncDisposableStack();
  const open = async (
    input: 'tcp' | 'udp' | 'http',
    settings: typeof client.socket,
    defaults: typeof SOCKET_DEFAULTS,
    start: (address: typeof SOCKET_DEFAULTS) => Promise<LocalInput>,
  ): Promise<void> => {
    if (settings?.enabled === false) return;
    const address = { bind: settings?.bind ?? defaults.bind, port: settings?.port ?? defaults.port };
    try {
      const { port } = inputs.use(await start(address));
      log.info({ input, bind: address.bind, port }, 'listening for results of local programs');
      if (!isLoopbackBind(address.bind) && !(input === 'http' && client.http_socket?.protect_all_endpoints === true)) {
        log.warn(
          { input, bind: address.bind },
          'every host that reaches this address can report results as this client: restrict access to it',
        );
      }
    } catch (error) {
      log.warn({ input, ...address, reason: errorMessage(error) }, closedAdvice(input, error));
    }
  };

  await open('tcp', client.socket, SOCKET_DEFAULTS, (address) => openTcpInput(address, { clock, log, accept }));
  await open('udp', client.socket, SOCKET_DEFAULTS, (address) => openUdpInput(address, { clock, log, accept }));
  await open('http', client.http_socket, HTTP_SOCKET_DEFAULTS, (address) =>
    openHttpInput({ ...client.http_socket, ...address }, { ...deps, accept }),
  );
  return inputs;
}

function closedAdvice(input: 'tcp' | 'udp' | 'http', error: unknown): string {
  const attribute = input === 'http' ? 'http_socket' : 'socket';
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const problem = isTaken ? 'the address is in use' : 'the address cannot be used';
  return `${problem}, so local programs cannot send results over ${input}: set another port in client.${attribute}, or set its "enabled" to false`;
}
