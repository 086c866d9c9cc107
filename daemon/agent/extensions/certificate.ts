import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema, statusForMinimum, type ExtensionResult } from './extension.ts';
import { withTimeLimit, probeFailureText } from './probe-limit.ts';

const DAY_MS = 86_400_000;

const parametersSchema = z
  .strictObject({
    /** Path of a certificate, in PEM or DER; absent if the certificate of the server at `host` is checked. */
    file: z.string().min(1).optional(),
    host: z.string().min(1).optional(),
    port: numberSchema.pipe(z.int().min(1).max(65_535)).default(443),
    /** Server name in the TLS handshake (SNI); default: `host`. */
    server_name: z.string().min(1).optional(),
    /** Number of remaining days below which the status is WARNING. */
    warning: numberSchema.default(30),
    critical: numberSchema.default(7),
    /** Time limit for the connection and the TLS handshake with a server, in seconds. */
    timeout: numberSchema.pipe(z.number().positive().max(600)).default(10),
  })
  .refine(({ file, host }) => (file === undefined) !== (host === undefined), 'set either "host" or "file"');

type CertificateParameters = z.infer<typeof parametersSchema>;

/** Checks how long a certificate remains valid. It does not check whether the certificate is trusted. */
export const certificate = defineExtension(
  'certificate',
  parametersSchema,
  async (parameters, { signal }): Promise<ExtensionResult> => {
    const { file, host, port, timeout } = parameters;
    if (file !== undefined) return findingOf(file, new X509Certificate(await readFile(file)), parameters);
    const endpoint = `${host ?? ''}:${String(port)}`;
    const limit = withTimeLimit(timeout, signal);
    try {
      return findingOf(endpoint, await certificateOf(parameters, limit), parameters);
    } catch (error) {
      return extensionResult('certificate', 2, `${endpoint} ${probeFailureText(error, limit, timeout)}`);
    }
  },
);

async function certificateOf(
  { host = '', port, server_name: serverName = host }: CertificateParameters,
  signal: AbortSignal,
): Promise<X509Certificate> {
  const socket = connect({
    host,
    port,
    // Report an expired certificate instead of rejecting the connection. No data is sent to the server.
    rejectUnauthorized: false,
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
  }).on('error', () => undefined);
  const cut = (): void => void socket.destroy(new Error('too late'));
  signal.addEventListener('abort', cut);
  try {
    await once(socket, 'secureConnect');
    const peerCertificate = socket.getPeerX509Certificate();
    if (peerCertificate === undefined) throw new Error('the server presents no certificate');
    return peerCertificate;
  } finally {
    signal.removeEventListener('abort', cut);
    socket.destroy();
  }
}

function findingOf(
  source: string,
  { validFromDate, validToDate }: X509Certificate,
  limits: CertificateParameters,
): ExtensionResult {
  const nowMs = Date.now();
  if (nowMs < validFromDate.getTime()) {
    return extensionResult('certificate', 2, `of ${source} is not valid before ${validFromDate.toISOString()}`);
  }
  const days = (validToDate.getTime() - nowMs) / DAY_MS;
  const until = validToDate.toISOString().slice(0, 10);
  const text = days < 0 ? `expired ${daysText(-days)} ago` : `expires in ${daysText(days)}`;
  return extensionResult(
    'certificate',
    statusForMinimum(days, limits),
    `of ${source} ${text}, on ${until} (warning below ${String(limits.warning)}, critical below ${String(limits.critical)})`,
  );
}

function daysText(days: number): string {
  const fullDays = Math.floor(days);
  return fullDays === 1 ? '1 day' : `${String(fullDays)} days`;
}
