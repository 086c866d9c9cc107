import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** True if the mail was received over TLS. */
  readonly isSecure: boolean;
  readonly user: unknown;
  /** The mail with its headers, as it was received. */
  readonly raw: string;
}

/** Opens an SMTP server that accepts each mail by default. It is closed when the test finishes. */
export async function openMailServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH'],
    logger: false,
    onData(stream, { envelope, secure, user }, done) {
      void (async () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, isSecure: secure, user, raw: await text(stream) });
        done(null, 'taken as 4711');
      })();
    },
    ...options,
  });
  // A client that does not trust the server's certificate aborts the handshake, which emits an error.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { mails, port: (server.server.address() as AddressInfo).port };
}
