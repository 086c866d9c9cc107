import { onTestFinished } from 'vitest';
import type { Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { OidcSettings } from '../../shared/schemas/oidc.ts';
import { asking, type Ask } from './asking.ts';
import { ManualClock } from './manual-clock.ts';
import { OidcIssuer } from './oidc-issuer.ts';
import { openBackend } from './open-backend.ts';
import type { Answer } from './raw-http.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';

/** The tokens of a session of the backend. */
export interface SessionTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * A backend whose users log in at a real OpenID provider. The clock of the backend is a manual clock that starts at the
 * current time, because the provider uses the time of the machine.
 */
export class SsoRig {
  readonly clock = new ManualClock(Date.now());
  readonly log = new RecordedLog();
  readonly issuer: OidcIssuer;
  readonly dir: string;
  #backend: Backend | undefined;

  private constructor(issuer: OidcIssuer, dir: string) {
    this.issuer = issuer;
    this.dir = dir;
  }

  /** Starts the provider with the account of ada, who is in the group `sre`, and the backend. */
  static async open(options: { readonly oidc?: Partial<OidcSettings> } = {}) {
    const issuer = await OidcIssuer.open();
    issuer.accounts.set('subject-1', { groups: ['sre'], preferred_username: 'ada' });
    const rig = new SsoRig(issuer, await tempDir());
    await rig.start(options.oidc);
    onTestFinished(() => rig.stop());
    return rig;
  }

  async start(oidc: Partial<OidcSettings> = {}): Promise<void> {
    const { api, program } = await loadConfig({ directories: [], env: {} });
    this.#backend = await openBackend({
      dir: this.dir,
      clock: this.clock,
      log: this.log,
      batcher: { batchLimit: 1 },
      definitions: { api, program: { ...program, oidc: { ...this.issuer.settings, ...oidc } } },
    });
  }

  async stop(): Promise<void> {
    await this.#backend?.stop();
    this.#backend = undefined;
  }

  get url(): string {
    if (this.#backend === undefined) throw new Error('the backend is stopped');
    return this.#backend.url;
  }

  /** Function that sends requests without credentials. */
  get ask(): Ask {
    return asking(this.url, null);
  }

  /** Function that sends requests with the local administrator token. */
  get administer(): Ask {
    return asking(this.url);
  }

  as({ access_token: token }: SessionTokens): Ask {
    return asking(this.url, `Bearer ${token}`);
  }

  /** Binds the group `oidc:sre` to a cluster role in all namespaces. */
  async bindGroup(role: string): Promise<void> {
    const name = 'sre';
    await this.administer('PUT', `/api/core/v2/clusterrolebindings/${name}`, {
      metadata: { name },
      subjects: [{ type: 'Group', name: 'oidc:sre' }],
      role_ref: { type: 'ClusterRole', name: role },
    });
  }

  /** Logs a user in, and returns the response to the last poll. */
  async tryLogIn(subject = 'subject-1'): Promise<Answer> {
    const { body } = await this.ask('POST', '/api/mon/v1/login');
    const { user_code: userCode, device_code } = body as { readonly user_code: string; readonly device_code: string };
    await this.issuer.confirm(userCode, subject);
    return this.ask('POST', '/api/mon/v1/login/token', { device_code });
  }

  async logIn(subject?: string): Promise<SessionTokens> {
    const answer = await this.tryLogIn(subject);
    if (answer.status !== 200) throw new Error(`the login failed: ${answer.text}`);
    return answer.body as SessionTokens;
  }

  refresh(tokens: SessionTokens): Promise<Answer> {
    return this.as(tokens)('POST', '/auth/token', { refresh_token: tokens.refresh_token });
  }

  async refreshed(tokens: SessionTokens): Promise<SessionTokens> {
    const answer = await this.refresh(tokens);
    if (answer.status !== 200) throw new Error(`the refresh failed: ${answer.text}`);
    return answer.body as SessionTokens;
  }
}
