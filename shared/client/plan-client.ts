import { MON_API } from '../api/mon.ts';
import type { NewPlan, PlanRun, PlanOrder, PlanRunSummary } from '../schemas/plan-run.ts';
import type { UpgradeFacts } from '../schemas/plan.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller } from './call-endpoint.ts';
import { openRequester } from './request.ts';
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

/** @throws MonError `invalid` when `backend` is no URL */
export function openUpgradeClient({ backend, headers = {}, timeoutMs = 30_000, env }: ApiClientOptions): UpgradeClient {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return upgradeClientOver(url, openRequester(address, timeoutMs));
}

/** The client over any way to ask. */
export function upgradeClientOver(url: string, ask: Requester): UpgradeClient {
  const { call, find } = endpointCaller(url, ask);
  return {
    url,
    facts() {
      return find(MON_API.planFacts);
    },
    plans() {
      return call(MON_API.plans);
    },
    plan(id) {
      return find(MON_API.plan, { path: { id } });
    },
    create(plan) {
      return call(MON_API.createPlan, { body: plan });
    },
    order(id, order) {
      return call(MON_API.orderPlan, { path: { id }, body: order });
    },
  };
}
