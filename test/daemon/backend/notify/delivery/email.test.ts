import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aJob, anEvent } from '../../../../support/a-job.ts';
import { sendMail } from '../../../../../daemon/backend/notify/delivery/email.ts';
import { TargetResolver } from '../../../../../daemon/backend/notify/delivery/addresses.ts';
import { SystemClock } from '../../../../../daemon/clock/system-clock.ts';
import type { EmailHandler, Mail } from '../../../../../shared/domain/message/mail.ts';
import { handlerSchema } from '../../../../../shared/schemas/handler.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { openMailServer } from '../../../../support/mail-server.ts';
import { HttpReceiver } from '../../../../support/http-receiver.ts';
import { makeCertificate } from '../../../../support/make-certificate.ts';
import { RecordedLog } from '../../../../support/recorded-log.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const definition = (smtp: object, more: object = {}) => ({
  type: 'email',
  smtp: { host: '127.0.0.1', tls: 'none', ...smtp },
  from: 'Monitoring <mon@example.com>',
  to: ['ops@example.com', 'Second <second@example.com>'],
  ...more,
});

const authority = makeCertificate('tests', { isAuthority: true });
const certificate = makeCertificate('mx', { names: ['127.0.0.1', 'mx.example.com'], issuer: authority });

async function authorityFile(): Promise<string> {
  const file = join(await tempDir(), 'ca.pem');
  await writeFile(file, authority.cert);
  return file;
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

describe('a mail', () => {
  test('a mail is sent to all recipients with thread headers, as text and as HTML', async () => {
    const { mails, port } = await openMailServer();
    const rig = new DeliveryRig();
    const more = { cc: 'boss@example.com', reply_to: 'Desk <desk@example.com>' };
    expect(await rig.run(definition({ port }, more))).toEqual({ kind: 'delivered' });
    const [mail] = mails;
    expect(mail).toMatchObject({
      from: 'mon@example.com',
      to: ['ops@example.com', 'second@example.com', 'boss@example.com'],
      isSecure: false,
    });
    const { id } = anEvent();
    for (const header of [
      'From: Monitoring <mon@example.com>',
      'To: ops@example.com, Second <second@example.com>',
      'Cc: boss@example.com',
      'Reply-To: Desk <desk@example.com>',
      'Subject: CRITICAL web-1/disk: CRITICAL: / is full',
      `Message-ID: <7.${id}@example.com>`,
      `References: <${id}@example.com>`,
      'Auto-Submitted: auto-generated',
      `X-Mon-Event-ID: ${id}`,
      'Content-Type: text/plain; charset=utf-8',
      'Content-Type: text/html; charset=utf-8',
    ]) {
      expect(mail?.raw.replaceAll(/\r\n[ \t]+/g, ' ')).toContain(header);
    }
    expect(rig.log.records).toEqual([]);
  });

  test('the output of a check cannot add a header or a recipient to a mail', async () => {
    const { mails, port } = await openMailServer();
    const output = 'x\r\nBcc: all@example.com\r\n.\r\nRCPT TO:<all@example.com>\r\n';
    const event = anEvent({ check: { output }, client: { name: 'a\r\nBcc: all@example.com' } });
    const templates = { subject: '{{ event.client.name }}', text: '{{ event.check.output }}' };
    await new DeliveryRig().run(definition({ port }, { templates }), { job: { event } });
    expect(mails).toHaveLength(1);
    expect(mails[0]?.to).toEqual(['ops@example.com', 'second@example.com']);
    const [head = ''] = mails[0]?.raw.split('\r\n\r\n', 1) ?? [];
    expect(head).not.toMatch(/^Bcc:/im);
  });

  test('secrets in a mail are redacted unless redact is false', async () => {
    const { mails, port } = await openMailServer();
    const event = anEvent({ client: { password: 'hunter2' } });
    const wants = definition({ port }, { templates: { text: 'it is {{ event.client.password }}' } });
    await new DeliveryRig().run(wants, { job: { event } });
    await new DeliveryRig().run({ ...wants, redact: false }, { job: { event } });
    expect(mails.map(({ raw }) => /it is (\w+)/.exec(raw)?.[1])).toEqual(['REDACTED', 'hunter2']);
  });

  test('a mail is sent to the address of the mail server that was checked', async () => {
    const { mails, port } = await openMailServer();
    const rig = new DeliveryRig({ names: { 'mx.example.com': '127.0.0.1' } });
    expect(await rig.run(definition({ port, host: 'mx.example.com' }))).toEqual({ kind: 'delivered' });
    expect(mails).toHaveLength(1);
    const metadata = new DeliveryRig({ names: { 'mx.example.com': '169.254.169.254' } });
    expect(await metadata.run(definition({ port, host: 'mx.example.com' }))).toMatchObject({ isRetryable: false });
  });
});

/** Sends a mail whose text is this object, as a faulty template could produce it. */
async function sendWith(text: object) {
  const { mails, port } = await openMailServer();
  const clock = new SystemClock();
  const deps = { clock, log: new RecordedLog(), logFields: {}, signal: new AbortController().signal };
  const addresses = new TargetResolver({ clock, alwaysAllowedNetworks: () => [] });
  const handler = handlerSchema.parse(definition({ port })) as EmailHandler;
  const mail = { subject: 'x', text, problems: [] } as unknown as Mail;
  return { mails, outcome: await sendMail({ job: aJob(), handler, mail }, { ...deps, targetResolver: addresses }) };
}

describe('a template that names a file or a URL', () => {
  test('a mail contains no file of this machine', async () => {
    const path = join(await tempDir(), 'secret');
    await writeFile(path, 'hunter2');
    const { mails, outcome } = await sendWith({ path });
    expect([mails.length, outcome.kind]).toEqual([0, 'failed']);
  });

  test('a mail fetches no URL', async () => {
    const inside = await HttpReceiver.open();
    const { mails, outcome } = await sendWith({ href: inside.url });
    expect([mails.length, outcome.kind, inside.received.length]).toEqual([0, 'failed', 0]);
  });
});

test('a mail from a sender with a non-ASCII domain has only ASCII headers', async () => {
  const { mails, port } = await openMailServer();
  await new DeliveryRig().run(definition({ port }, { from: 'mon@bücher.example' }));
  const { id } = anEvent();
  expect(mails[0]?.raw).toContain(`Message-ID: <7.${id}@xn--bcher-kva.example>`);
  expect(mails[0]?.raw).toMatch(/^[\0-\x7f]*$/);
});

describe('mail over TLS', () => {
  test.each(['implicit', 'starttls'] as const)(
    'a mail over %s TLS is sent with a password if ca_file contains the authority of the server',
    async (tls) => {
      const { mails, port } = await openMailServer({
        ...certificate,
        secure: tls === 'implicit',
        authOptional: false,
        disabledCommands: [],
        onAuth: ({ username, password }, _session, done) =>
          password === 'hunter2' ? done(null, { user: username }) : done(smtpError(535, 'no such user')),
      });
      const server = { port, tls, ca_file: await authorityFile(), user: 'mon', password: 'hunter2' };
      expect(await new DeliveryRig().run(definition(server))).toEqual({ kind: 'delivered' });
      expect(mails).toMatchObject([{ isSecure: true, user: 'mon' }]);
      const rig = new DeliveryRig();
      const refused = await rig.run(definition({ ...server, password: 'hunter3' }));
      expect(refused).toMatchObject({ isRetryable: false, reason: expect.stringContaining('answered 535') as string });
      expect(JSON.stringify([refused, rig.log.records])).not.toMatch(/hunter/);
    },
  );

  test.each(['implicit', 'starttls'] as const)(
    'a mail over %s TLS is not sent to a server with an invalid certificate',
    async (tls) => {
      const { mails, port } = await openMailServer({ ...certificate, secure: tls === 'implicit' });
      const outcome = await new DeliveryRig().run(definition({ port, tls }));
      expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/certificate/) as string });
      const other = makeCertificate('other', { names: ['other.example.com'], issuer: authority });
      const named = await openMailServer({ ...other, secure: tls === 'implicit' });
      const wrong = await new DeliveryRig().run(definition({ port: named.port, tls, ca_file: await authorityFile() }));
      expect(wrong).toMatchObject({ kind: 'failed' });
      expect([...mails, ...named.mails]).toEqual([]);
    },
  );

  test('a mail with tls: starttls is not sent to a server that offers no TLS', async () => {
    const { mails, port } = await openMailServer({ disabledCommands: ['AUTH', 'STARTTLS'] });
    expect(await new DeliveryRig().run(definition({ port, tls: 'starttls' }))).toMatchObject({ kind: 'failed' });
    expect(mails).toEqual([]);
  });

  test.each([
    ['is used if offered, whatever the certificate', {}, true],
    ['is skipped if not offered', { disabledCommands: ['AUTH', 'STARTTLS'] }, false],
  ])('a mail with opportunistic TLS is sent: TLS %s', async (_title, options, isSecure) => {
    const { mails, port } = await openMailServer({ ...certificate, ...options });
    expect(await new DeliveryRig().run(definition({ port, tls: 'opportunistic' }))).toEqual({ kind: 'delivered' });
    expect(mails).toMatchObject([{ isSecure }]);
  });

  test('the error for an unreadable ca_file names the file', async () => {
    const { port } = await openMailServer();
    const outcome = await new DeliveryRig().run(definition({ port, tls: 'implicit', ca_file: '/nowhere/ca.pem' }));
    expect(outcome).toMatchObject({
      reason: expect.stringContaining('/nowhere/ca.pem cannot be used as smtp.ca_file') as string,
    });
  });
});

describe('a server that rejects a mail', () => {
  test.each([
    [450, true],
    [550, false],
  ])('a mail that the server rejects with the code %i is retried: %s', async (code, isRetryable) => {
    const { port } = await openMailServer({
      onRcptTo: (_address, _session, done) => done(smtpError(code, 'not you')),
    });
    expect(await new DeliveryRig().run(definition({ port }))).toEqual({
      kind: 'failed',
      isRetryable,
      category: 'response',
      reason: `127.0.0.1:${String(port)} answered ${String(code)} not you`,
    });
  });

  test('a mail that is rejected for some recipients is delivered to the other recipients, which is logged', async () => {
    const { mails, port } = await openMailServer({
      onRcptTo: ({ address }, _session, done) =>
        address.startsWith('second') ? done(smtpError(550, 'not you')) : done(),
    });
    const rig = new DeliveryRig();
    expect(await rig.run(definition({ port }))).toEqual({ kind: 'delivered' });
    expect(mails).toMatchObject([{ to: ['ops@example.com'] }]);
    expect(rig.record).toMatchObject({ level: 'warn', fields: { rejected: ['second@example.com'] } });
  });

  test('a password that the mail server sends back is redacted in the failure reason and in the log', async () => {
    const { port } = await openMailServer({
      ...certificate,
      secure: true,
      authOptional: false,
      disabledCommands: [],
      onAuth: (_auth, _session, done) =>
        done(smtpError(535, `no hunter2, no ${btoa('hunter2')}, no ${btoa('\0mon\0hunter2')}`)),
    });
    const smtp = { port, tls: 'implicit', ca_file: await authorityFile(), user: 'mon', password: 'hunter2' };
    const rig = new DeliveryRig();
    const reason = `127.0.0.1:${String(port)} answered 535 no REDACTED, no REDACTED, no REDACTED`;
    expect(await rig.run(definition(smtp))).toMatchObject({ reason });
    expect(rig.record.fields).toMatchObject({ reason });
  });

  test('the response of a server that does not speak SMTP is logged as one short line', async () => {
    const chatty = createServer((socket) => void socket.end(`HTTP \u001b[2J${'😀'.repeat(500)}\r\n`));
    chatty.listen(0, '127.0.0.1');
    await once(chatty, 'listening');
    onTestFinished(() => void chatty.close());
    const outcome = await new DeliveryRig().run(definition({ port: (chatty.address() as AddressInfo).port }));
    const { reason } = outcome as { readonly reason: string };
    expect(reason).toMatch(/^Invalid greeting.*HTTP \\x1b\[2J.*…$/u);
    expect([reason.length <= 200, reason.isWellFormed()]).toEqual([true, true]);
  });

  test('a mail is retried if its server is unreachable or does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const slow = await new DeliveryRig().run(definition({ port }, { timeout: 0.2 }));
    expect(slow).toMatchObject({ isRetryable: true, reason: 'it took longer than 0.2 s' });
    silent.close();
    const gone = await new DeliveryRig().run(definition({ port: 1 }));
    expect(gone).toMatchObject({ isRetryable: true, reason: 'the connection was refused' });
  });
});
