import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';
import { onTestFinished } from 'vitest';

/** An account of the identity provider in a test, which the test can change at any time. */
interface Account {
  groups: readonly string[];
  preferred_username: string;
}

const CLIENT_ID = 'mon';

function newKey(kid: string): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
}

/** A real OpenID provider on a loopback port, with device authorization, refresh tokens and revocation. */
export class OidcIssuer {
  readonly accounts = new Map<string, Account>();
  /** Paths of the received requests. */
  readonly requests: string[] = [];
  readonly #confirms: string | undefined;
  #port = 0;
  #server: Server | undefined;
  #provider: Provider | undefined;
  /** The records of the provider, which survive a restart. */
  readonly #records = new Map<string, Record<string, unknown>>();

  private constructor(confirms: string | undefined) {
    this.#confirms = confirms;
  }

  /** @param confirms the subject that confirms every login at once; by default, logins wait for `confirm` */
  static async open({ confirms }: { readonly confirms?: string } = {}): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(confirms);
    await issuer.start();
    onTestFinished(() => issuer.stop());
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  /** The setting `oidc` of a backend that uses this provider. */
  get settings() {
    return {
      issuer: this.url,
      'client-id': CLIENT_ID,
      scopes: ['openid', 'profile', 'offline_access'],
      'username-claim': 'preferred_username',
      'groups-claim': 'groups',
      'groups-prefix': 'oidc:',
    };
  }

  /** Starts the provider at its previous port, with a new signing key. */
  async start(): Promise<void> {
    const server = createServer();
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    const provider = new Provider(this.url, this.#configuration());
    this.#provider = provider;
    const serve = provider.callback();
    const confirms = this.#confirms;
    if (confirms !== undefined) {
      provider.on('device_code.saved', ({ userCode, accountId }) => {
        if (accountId === undefined && userCode !== undefined) void this.confirm(userCode, confirms);
      });
    }
    server.on('request', (request, response) => {
      this.requests.push(`${String(request.method)} ${request.url?.split('?', 1)[0] ?? ''}`);
      void serve(request, response);
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  /** The refresh tokens that are still valid. */
  get refreshTokens(): readonly string[] {
    return [...this.#records].flatMap(([key, { consumed }]) =>
      key.startsWith('RefreshToken ') && consumed === undefined ? [key.slice('RefreshToken '.length)] : [],
    );
  }

  get refreshTokenCount(): number {
    return this.refreshTokens.length;
  }

  /** Confirms a login as the user does it in the browser, or denies it. */
  async confirm(userCode: string, accountId: string, { denies = false } = {}): Promise<void> {
    const provider = this.#provider;
    if (provider === undefined) throw new Error('the provider is stopped');
    const device = await provider.DeviceCode.findByUserCode(userCode.replaceAll('-', ''));
    if (device === undefined) throw new Error('there is no such user code');
    if (denies) {
      Object.assign(device, { error: 'access_denied', errorDescription: 'the user denied the login' });
      await device.save();
      return;
    }
    const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
    grant.addOIDCScope(this.settings.scopes.join(' '));
    Object.assign(device, {
      accountId,
      grantId: await grant.save(),
      scope: this.settings.scopes.join(' '),
      claims: {},
      authTime: Math.floor(Date.now() / 1000),
    });
    await device.save();
  }

  #configuration(): Configuration {
    const records = this.#records;
    return {
      clients: [
        {
          client_id: CLIENT_ID,
          token_endpoint_auth_method: 'none',
          grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
          response_types: [],
          redirect_uris: [],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [newKey(`key-${String(Math.random())}`)] },
      features: {
        deviceFlow: { enabled: true },
        revocation: { enabled: true, allowedPolicy: () => true },
        devInteractions: { enabled: false },
      },
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
      rotateRefreshToken: true,
      ttl: {
        DeviceCode: 600,
        AccessToken: 3600,
        IdToken: 3600,
        RefreshToken: 86_400,
        Grant: 86_400,
      },
      findAccount: (_context, id) => {
        const account = this.accounts.get(id);
        return account && { accountId: id, claims: () => ({ sub: id, ...account }) };
      },
      adapter: class {
        readonly #kind: string;
        constructor(kind: string) {
          this.#kind = kind;
        }
        #key(id: string): string {
          return `${this.#kind} ${id}`;
        }
        upsert(id: string, payload: Record<string, unknown>): Promise<void> {
          records.set(this.#key(id), payload);
          return Promise.resolve();
        }
        find(id: string): Promise<Record<string, unknown> | undefined> {
          return Promise.resolve(records.get(this.#key(id)));
        }
        findByUserCode(userCode: string): Promise<Record<string, unknown> | undefined> {
          return Promise.resolve([...records.values()].find((one) => one['userCode'] === userCode));
        }
        findByUid(uid: string): Promise<Record<string, unknown> | undefined> {
          return Promise.resolve([...records.values()].find((one) => one['uid'] === uid));
        }
        consume(id: string): Promise<void> {
          Object.assign(records.get(this.#key(id)) ?? {}, { consumed: Math.floor(Date.now() / 1000) });
          return Promise.resolve();
        }
        destroy(id: string): Promise<void> {
          records.delete(this.#key(id));
          return Promise.resolve();
        }
        revokeByGrantId(grantId: string): Promise<void> {
          for (const [key, one] of records) if (one['grantId'] === grantId) records.delete(key);
          return Promise.resolve();
        }
      },
    };
  }
}
