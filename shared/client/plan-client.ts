import { MON_API } from '../api/mon.ts';
import type { NewPlan, PlanOrder } from '../schemas/plan-run.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller } from './call-endpoint.ts';
import { openRequester, type Requester } from './request.ts';

/** @throws MonError `invalid` when `backend` is no URL */
export function openUpgradeClient({ backend, headers = {}, timeoutMs = 30_000, env }: ApiClientOptions): UpgradeClient {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return upgradeClientOver(url, openRequester(address, timeoutMs));
}

function clientOver(url: string, ask: Requester) {
  const { call, find } = endpointCaller(url, ask);
  return {
    /** Where the requests go, without credentials. */
    url,
    /** What the backend knows of itself; undefined: it is one of another make, or an older one. */
    facts: () => find(MON_API.planFacts),
    /** The newest first. */
    plans: () => call(MON_API.plans),
    plan: (id: number) => find(MON_API.plan, { path: { id } }),
    /** @throws MonError `conflict` while another one is open, which its text names */
    create: (plan: Pick<NewPlan, 'from' | 'to'> & Partial<NewPlan>) => call(MON_API.createPlan, { body: plan }),
    /** @throws MonError `conflict`, `invalid` or `not_found` when it cannot be done, with the reason */
    order: (id: number, order: PlanOrder) => call(MON_API.orderPlan, { path: { id }, body: order }),
  };
}

/** Plans for upgrades of a backend. Every method throws MonError as those of `ApiClient` do. */
export type UpgradeClient = Readonly<ReturnType<typeof clientOver>>;

/** The client over any way to ask. */
const upgradeClientOver: (...given: Parameters<typeof clientOver>) => UpgradeClient = clientOver;
