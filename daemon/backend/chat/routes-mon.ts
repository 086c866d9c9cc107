import type { MonHandlers } from '../http/route.ts';
import { pathName } from '../http/path-name.ts';
import { ChatCallbacks, type ChatDependencies } from './callbacks.ts';

/** Serves the URL to which chats send the clicks on buttons. */
export function chatOnMon(deps: ChatDependencies): MonHandlers<'chatCallback'> {
  const callbacks = new ChatCallbacks(deps);
  return {
    chatCallback: async (request, reply) => {
      const { method, url, headers, caller, body } = request;
      const response = await callbacks.answer({
        preset: pathName(request, 'preset'),
        token: pathName(request, 'token'),
        method,
        url,
        headers,
        caller,
        body: typeof body === 'string' ? body : '',
      });
      return reply.send(response);
    },
  };
}
