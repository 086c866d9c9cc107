import { UPGRADE_ANSWERS } from '../api/plan-answers.ts';
import type { NewPlan, PlanRun, PlanOrder, PlanRunSummary } from '../schemas/plan-run.ts';
import { upgradeFactsSchema, type UpgradeFacts } from '../schemas/plan.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { openRequester, readAnswer } from './request.ts';
import type { Requester } from './request.ts';

/** Plans for upgrades of a backend. Every method throws MonError as those of `ApiClient` do. */
export interface UpgradeClient {
  /** Where the requests go, without credentials. */
  readonly url: string;
  /** What the backend knows of itself; undefined: it is one of another make, or an older one. */
  facts(): Promise<UpgradeFacts | undefined>;
  /** The newest first. */
  plans(): Promise<PlanRunSummary[]>;
  plan(id: number): Promise<PlanRun | undefined>;
  /** @throws MonError `conflict` while another one is open, which its text names */
  create(plan: Pick<NewPlan, 'from' | 'to'> & Partial<NewPlan>): Promise<PlanRun>;
  /** @throws MonError `conflict`, `invalid` or `not_found` when it cannot be done, with the reason */
  order(id: number, order: PlanOrder): Promise<PlanRun>;
}

const UPGRADES = ['api', 'mon', 'v1', 'upgrades'];

/** @throws MonError `invalid` when `backend` is no URL */
export function openUpgradeClient({ backend, headers = {}, timeoutMs = 30_000, env }: ApiClientOptions): UpgradeClient {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return upgradeClientOver(url, openRequester(address, timeoutMs));
}

/** The client over any way to ask. */
export function upgradeClientOver(url: string, ask: Requester): UpgradeClient {
  return {
    url,
    async facts() {
      const answer = await ask({ method: 'GET', path: [...UPGRADES, 'facts'], accept: [404] });
      return answer.status === 404 ? undefined : readAnswer(answer, upgradeFactsSchema, url);
    },
    async plans() {
      return readAnswer(await ask({ method: 'GET', path: UPGRADES }), UPGRADE_ANSWERS.plans, url);
    },
    async plan(id) {
      const answer = await ask({ method: 'GET', path: [...UPGRADES, String(id)], accept: [404] });
      return answer.status === 404 ? undefined : readAnswer(answer, UPGRADE_ANSWERS.plan, url);
    },
    async create(plan) {
      return readAnswer(await ask({ method: 'POST', path: UPGRADES, body: plan }), UPGRADE_ANSWERS.plan, url);
    },
    async order(id, order) {
      const path = [...UPGRADES, String(id)];
      return readAnswer(await ask({ method: 'POST', path, body: order }), UPGRADE_ANSWERS.plan, url);
    },
  };
}
