import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ExtensionResult } from '../../../../daemon/agent/extensions/extension.ts';
import { findExtension } from '../../../../daemon/agent/extensions/find-extension.ts';
import { CERTIFICATE, EXPIRED_CERTIFICATE, FUTURE_CERTIFICATE, KEY } from '../../../support/certificates.ts';
import { tempDir } from '../../../support/temp-dir.ts';

async function find(name: string, parameters: object): Promise<ExtensionResult> {
  const extension = findExtension(name);
  if (extension === undefined) throw new Error(`there is no built-in check ${name}`);
  return await extension.run(parameters, { signal: new AbortController().signal });
}

/** Listens on a free port until the test is over, and returns the port. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('tcp', () => {
  test('the TCP check is OK when the port accepts connections', async () => {
    const port = await listening(createTcpServer());
    expect(await find('tcp', { port })).toEqual({
      status: 0,
      output: expect.stringMatching(/^TCP OK - 127\.0\.0\.1:\d+ accepts connections after 0\.\d{3} s$/),
    });
  });

  test('the TCP check is critical when no program listens on the port', async () => {
    const port = await closedPort();
    expect(await find('tcp', { port: String(port) })).toEqual({
      status: 2,
      output: `TCP CRITICAL - 127.0.0.1:${String(port)} refuses connections`,
    });
  });

  test('the TCP check finds the expected response even if it arrives in several pieces', async () => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.once('data', (data) => {
          for (const byte of `you said ${data.toString()}, grüße`) socket.write(byte);
        });
      }),
    );
    expect(await find('tcp', { port, send: 'hello', expect: 'hello, grüße' })).toMatchObject({ status: 0 });
  });

  test('the TCP check is critical when the response is unexpected or too late', async () => {
    const port = await listening(createTcpServer((socket) => socket.end('500\tbusy\n')));
    expect(await find('tcp', { port, expect: '220' })).toMatchObject({
      status: 2,
      output: expect.stringMatching(/ responds with something other than "220": "500 busy "$/),
    });
    const mute = await listening(createTcpServer());
    expect(await find('tcp', { port: mute, expect: '220', timeout: 0.05 })).toEqual({
      status: 2,
      output: `TCP CRITICAL - 127.0.0.1:${String(mute)} does not respond within 0.05 s`,
    });
  });
});

const serve = async (answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${String(await listening(createHttpServer(answer)))}`;

describe('http', () => {
  test('the HTTP check is OK for a status below 400 and does not print the query', async () => {
    const url = await serve((_request, response) => response.end('fine'));
    expect(await find('http', { url: `${url}/health?token=s3cret` })).toEqual({
      status: 0,
      output: expect.stringMatching(/^HTTP OK - http:\/\/127\.0\.0\.1:\d+\/health answers 200 after 0\.\d{3} s$/),
    });
  });

  test.each<{ name: string; parameters: object; status: number; expectedOutput: RegExp }>([
    { name: 'an error', parameters: { path: '500' }, status: 2, expectedOutput: /answers 500 after/ },
    {
      name: 'another status than the expected one',
      parameters: { path: '200', status: 204 },
      status: 2,
      expectedOutput: /answers 200 after .* s, not 204$/,
    },
    { name: 'the expected status', parameters: { path: '404', status: 404 }, status: 0, expectedOutput: /answers 404/ },
    {
      name: 'a redirect, which is not followed',
      parameters: { path: '302' },
      status: 0,
      expectedOutput: /\/302 answers 302/,
    },
    {
      name: 'a text that is present',
      parameters: { path: '200', contains: 'status 200' },
      status: 0,
      expectedOutput: /OK/,
    },
    {
      name: 'a text that is missing',
      parameters: { path: '200', contains: 'green' },
      status: 2,
      expectedOutput: /, without "green"$/,
    },
    {
      name: 'a response slower than the warning limit',
      parameters: { path: '200', warning: 0 },
      status: 1,
      expectedOutput: /WARNING/,
    },
    {
      name: 'a response slower than the critical limit',
      parameters: { path: '200', warning: 0, critical: 0 },
      status: 2,
      expectedOutput: /CRITICAL/,
    },
  ])('the HTTP check returns the right status and output for $name', async ({ parameters, status, expectedOutput }) => {
    const { path, ...others } = parameters as { path: string };
    const url = await serve((request, response) => {
      response
        .writeHead(Number(request.url?.slice(1)), { Location: '/elsewhere' })
        .end(`status ${request.url?.slice(1) ?? ''}`);
    });
    expect(await find('http', { url: `${url}/${path}`, ...others })).toEqual({
      status,
      output: expect.stringMatching(expectedOutput),
    });
  });

  test('the HTTP check sends the method, headers and body of its definition', async () => {
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => response.end(`${request.method ?? ''} ${request.headers.authorization ?? ''} ${body}`));
    });
    const parameters = { url, method: 'POST', headers: { Authorization: 'Key abc' }, body: 'hello' };
    expect(await find('http', { ...parameters, contains: 'POST Key abc hello' })).toMatchObject({ status: 0 });
  });

  test('the HTTP check is critical when the connection is refused or the response is too late', async () => {
    const port = await closedPort();
    expect(await find('http', { url: `http://127.0.0.1:${String(port)}/` })).toMatchObject({
      status: 2,
      output: expect.stringMatching(/\/ refuses connections$/),
    });
    const url = await serve(() => undefined);
    expect(await find('http', { url, timeout: 0.05 })).toMatchObject({
      status: 2,
      output: expect.stringContaining('within 0.05 s'),
    });
    const slow = await serve((_request, response) => void response.write('some'));
    expect(await find('http', { url: slow, timeout: 0.05 })).toMatchObject({
      status: 2,
      output: expect.stringContaining('within 0.05 s'),
    });
  });

  test('the HTTP check reads at most one mebibyte', async () => {
    const url = await serve((_request, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(65_536)) && !response.destroyed);
        response.once('drain', more);
      };
      more();
    });
    expect(await find('http', { url })).toMatchObject({ status: 0 });
  });

  test.each(['ftp://example.org/', 'example.org', ''])(
    'the HTTP check with the URL %j returns the status unknown',
    async (url) => {
      expect(await find('http', { url })).toMatchObject({
        status: 3,
        output: expect.stringContaining('must be a URL that begins with http'),
      });
    },
  );
});

async function fileWith(text: string): Promise<string> {
  const file = join(await tempDir(), 'cert.pem');
  await writeFile(file, text);
  return file;
}

describe('certificate', () => {
  const END = '2126-01-01';
  const daysLeft = Math.floor((Date.parse(END) - Date.now()) / 86_400_000);

  test('the certificate check of a server returns the days until its certificate expires', async () => {
    const port = await listening(createTlsServer({ key: KEY, cert: CERTIFICATE }));
    const target = { host: '127.0.0.1', port, server_name: 'localhost' };
    const of = `of 127.0.0.1:${String(port)} expires in ${String(daysLeft)} days, on ${END}`;
    expect(await find('certificate', target)).toEqual({
      status: 0,
      output: `CERTIFICATE OK - ${of} (warning below 30, critical below 7)`,
    });
    expect(await find('certificate', { ...target, warning: daysLeft + 1 })).toMatchObject({ status: 1 });
    expect(await find('certificate', { ...target, critical: daysLeft + 1 })).toMatchObject({ status: 2 });
  });

  test.each<{ name: string; text: string; status: number; expectedOutput: RegExp }>([
    { name: 'good', text: CERTIFICATE, status: 0, expectedOutput: / OK - of .*cert\.pem expires in / },
    { name: 'expired', text: EXPIRED_CERTIFICATE, status: 2, expectedOutput: / expired \d+ days ago, on 2021-01-01 / },
    { name: 'not yet valid', text: FUTURE_CERTIFICATE, status: 2, expectedOutput: / is not valid before 2099-01-01T/ },
    { name: 'a file without a certificate', text: 'hello', status: 3, expectedOutput: / UNKNOWN - / },
  ])('the certificate check of a file returns the right status: $name', async ({ text, status, expectedOutput }) => {
    expect(await find('certificate', { file: await fileWith(text) })).toEqual({
      status,
      output: expect.stringMatching(expectedOutput),
    });
  });

  test('the certificate check of a missing file returns the status unknown', async () => {
    expect(await find('certificate', { file: '/no/such/file' })).toMatchObject({
      status: 3,
      output: expect.stringContaining('ENOENT'),
    });
  });

  test('the certificate check is critical when the server is unreachable or does not speak TLS', async () => {
    const port = await closedPort();
    expect(await find('certificate', { host: '127.0.0.1', port })).toMatchObject({
      status: 2,
      output: expect.stringContaining('refuses connections'),
    });
    const mute = await listening(createTcpServer());
    expect(await find('certificate', { host: '127.0.0.1', port: mute, timeout: 0.05 })).toMatchObject({
      status: 2,
      output: expect.stringContaining('does not respond within 0.05 s'),
    });
  });

  test('the certificate check with both a host and a file, or neither, returns the status unknown', async () => {
    const problem = { status: 3, output: expect.stringContaining('set either "host" or "file"') };
    expect(await find('certificate', {})).toMatchObject(problem);
    expect(await find('certificate', { host: 'a', file: 'b' })).toMatchObject(problem);
  });
});
