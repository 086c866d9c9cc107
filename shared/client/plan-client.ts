import { MON_API } from '../api/mon.ts';
import type { NewPlan, PlanOrder } from '../schemas/plan-run.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller } from './call-endpoint.ts';
import { openRequester, type Requester } from './request.ts';

/** @throws MonError `invalid` if `backend` is not a URL */
export function openUpgradeClient({ backend, headers = {}, timeoutMs = 30_000, env }: ApiClientOptions): UpgradeClient {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return upgradeClientOver(url, openRequester(address, timeoutMs));
}

function clientOver(url: string, ask: Requester) {
  const { call, find } = endpointCaller(url, ask);
  return {
    /** The URL of the backend, without credentials. */
    url,
    /** Returns the facts that the backend knows; undefined from another product or an older version. */
    facts: () => find(MON_API.planFacts),
    /** Returns plans, newest first. */
    plans: () => call(MON_API.plans),
    plan: (id: number) => find(MON_API.plan, { path: { id } }),
    /** @throws MonError `conflict` while another plan is open, which the message names */
    create: (plan: Pick<NewPlan, 'from' | 'to'> & Partial<NewPlan>) => call(MON_API.createPlan, { body: plan }),
    /** @throws MonError `conflict`, `invalid` or `not_found` if it is not possible, with the reason */
    order: (id: number, order: PlanOrder) => call(MON_API.orderPlan, { path: { id }, body: order }),
  };
}

/** A client for upgrade plans. Every method throws MonError like those of `ApiClient`. */
export type UpgradeClient = Readonly<ReturnType<typeof clientOver>>;

/** Creates the client over any requester. */
const upgradeClientOver: (...args: Parameters<typeof clientOver>) => UpgradeClient = clientOver;
