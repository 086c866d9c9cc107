import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { domainToASCII } from 'node:url';
import { createTransport, type SendMailOptions, type SMTPSentMessageInfo } from 'nodemailer';
import type { EmailHandler, Mail } from '../../../../shared/domain/message/mail.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import { parseMailAddress, type MailAddress } from '../../../../shared/schemas/mail-address.ts';
import { readAuthorities } from '../../../../shared/tls/authorities.ts';
import type { Log } from '../../../log/log.ts';
import { pinnedLookup } from './addresses.ts';
import {
  DELIVERED_OUTCOME,
  permanentFailure,
  retryableFailure,
  toDisplayLine,
  type DeliveryOutcome,
} from './outcome.ts';
import type { NetworkDependencies } from './tcp.ts';
import { runWithTimeLimit } from './time-limit.ts';

/** Default time limit in seconds for sending a mail. It is long because mail servers that scan messages are slow. */
const TIMEOUT_SECONDS_DEFAULT = 30;

const DEFAULT_PORT_BY_TLS_MODE = { implicit: 465, starttls: 587, opportunistic: 25, none: 25 } as const;

type SmtpSettings = EmailHandler['smtp'];

interface MailDelivery {
  readonly job: HandlerJob;
  readonly handler: EmailHandler;
  readonly mail: Mail;
}

interface MailDependencies extends NetworkDependencies {
  readonly log: Log;
  /** Log fields that identify the handler run. */
  readonly logFields: object;
}

/** Sends a mail to an SMTP server, over a new connection (completion 1.23). Never rejects. */
export async function sendMail(
  { job, handler, mail }: MailDelivery,
  { targetResolver, clock, signal, log, logFields, onResponse }: MailDependencies,
): Promise<DeliveryOutcome> {
  const { smtp, timeout: seconds = TIMEOUT_SECONDS_DEFAULT } = handler;
  const { host, port = DEFAULT_PORT_BY_TLS_MODE[smtp.tls] } = smtp;
  return await runWithTimeLimit({ clock, seconds, signal }, async (limitSignal) => {
    const tls = smtpTlsOptions(smtp);
    const allowedAddresses = await targetResolver.resolveConfiguredHost(host, 'own-network', limitSignal);
    const socket = connect({ host, port, lookup: pinnedLookup(allowedAddresses), signal: limitSignal });
    // Without an `error` listener, a socket error would end the process. While the socket connects, `once` throws the
    // error; after that, the SMTP library reports it.
    socket.on('error', () => undefined);
    try {
      await once(socket, 'connect');
      const { rejected, response } = await sendOverSmtp(
        socket,
        smtp,
        tls,
        buildMessage(job, handler, mail, clock.now()),
      );
      if (rejected.length > 0) log.warn({ ...logFields, rejected }, 'mail server rejected some recipients');
      onResponse?.(toDisplayLine(rejected.length === 0 ? response : `refused for ${rejected.join(', ')}; ${response}`));
      return DELIVERED_OUTCOME;
    } catch (error) {
      // If the connection was closed because of the time limit or a stop of the backend, the caller reports that reason
      // instead of this error.
      if (limitSignal.aborted) throw error;
      return smtpFailure(error, smtp, `${host}:${String(port)}`);
    } finally {
      socket.destroy();
    }
  });
}

async function sendOverSmtp(
  connection: Socket,
  { host, tls: mode, user, password }: SmtpSettings,
  tls: ConnectionOptions,
  message: SendMailOptions,
): Promise<SMTPSentMessageInfo> {
  const transport = createTransport({
    connection,
    host,
    secure: mode === 'implicit',
    requireTLS: mode === 'starttls',
    opportunisticTLS: mode === 'opportunistic',
    ignoreTLS: mode === 'none',
    tls,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    // The SMTP library must never load a file or URL because the text of a mail looks like its path or address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    return await transport.sendMail(message);
  } finally {
    transport.close();
  }
}

/**
 * Returns the TLS options for an SMTP server. The certificate of the server must be valid for its host name. It must be
 * signed by an authority in `ca_file` of the handler definition or, without `ca_file`, by an authority that this
 * machine trusts. With opportunistic TLS and without `ca_file`, any certificate is accepted.
 *
 * @throws MonError `invalid` when `ca_file` cannot be read or contains no certificate
 */
function smtpTlsOptions({ host, tls, ca_file: file }: SmtpSettings): ConnectionOptions {
  return {
    ...(isIP(host) === 0 && { servername: host }),
    ...(file !== undefined && { ca: readAuthorities(file, 'smtp.ca_file').pem }),
    rejectUnauthorized: tls !== 'opportunistic' || file !== undefined,
  };
}

/**
 * Builds the message for the SMTP library. All mails about one event or group form a thread. All attempts of a job send
 * the same message id, so that receivers can recognize a duplicate.
 */
function buildMessage(
  { id, event, group }: HandlerJob,
  { from, to, cc, reply_to: replyTo }: EmailHandler,
  { subject, text, html }: Mail,
  nowMs: number,
): SendMailOptions {
  const [sender = { name: '', address: '' }] = parseMailAddresses(from);
  const senderDomain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  const domain = domainToASCII(senderDomain) || senderDomain;
  const subjectId = group?.id ?? event.id;
  const threadId = `<${subjectId.replaceAll(/[^\w-]/g, '')}@${domain}>`;
  return {
    from: sender,
    to: parseMailAddresses(to),
    cc: parseMailAddresses(cc),
    replyTo: parseMailAddresses(replyTo),
    subject,
    text,
    ...(html !== undefined && { html }),
    date: new Date(nowMs),
    messageId: `<${String(id)}.${threadId.slice(1)}`,
    inReplyTo: threadId,
    references: threadId,
    headers: {
      // Marks the mail as automatic, so that nobody sends an out-of-office reply to it (RFC 3834, 5).
      'Auto-Submitted': 'auto-generated',
      ...(group === undefined ? { 'X-Mon-Event-Id': event.id } : { 'X-Mon-Group-Id': group.id }),
      'X-Mon-Delivery': String(id),
    },
  };
}

function parseMailAddresses(addresses: string | readonly string[] = []): MailAddress[] {
  return [addresses].flat().flatMap((text) => parseMailAddress(text) ?? []);
}

/**
 * Returns the failed outcome for an error response of an SMTP server. A 5xx code is a permanent failure; after other
 * codes, the delivery can be retried (RFC 5321, 4.2.1).
 *
 * @throws the error itself if it is not a response of the server
 */
function smtpFailure(error: unknown, { user = '', password = '' }: SmtpSettings, server: string): DeliveryOutcome {
  const { responseCode: code, response = '' } = error as {
    readonly responseCode?: unknown;
    readonly response?: string;
  };
  if (typeof code !== 'number') throw error;
  // The error response may repeat the credentials in Base64, as they were sent to the server: the password alone, or
  // the password after the user name (RFC 4954, 4).
  const encodedSecrets = [password, `\0${user}\0${password}`].map((secret) => Buffer.from(secret).toString('base64'));
  const reason = `${server} answered ${toDisplayLine(response, [password, ...(password === '' ? [] : encodedSecrets)]) || String(code)}`;
  return code < 500 ? retryableFailure(reason, 'response') : permanentFailure(reason, 'response');
}
