import { MON_API } from '../api/mon.ts';
import type { NewPlan, PlanOrder } from '../schemas/plan-run.ts';
import type { ApiClientOptions } from './api-client.ts';
import { backendAddress } from './local-access.ts';
import { endpointCaller } from './call-endpoint.ts';
import { openRequester, type Requester } from './request.ts';

/**
 * Creates a client for the upgrade plans of a backend.
 *
 * @throws MonError `invalid` if `backend` is not a URL
 */
export function openUpgradeClient({ backend, headers = {}, timeoutMs = 30_000, env }: ApiClientOptions): UpgradeClient {
  const address = backendAddress(backend, { env, headers });
  const { url } = address;
  return buildUpgradeClient(url, openRequester(address, timeoutMs));
}

function buildClient(url: string, ask: Requester) {
  const { call, find } = endpointCaller(url, ask);
  return {
    /** The URL of the backend, without credentials. */
    url,
    /**
     * Returns what the backend knows about the installation and an upgrade plan needs; undefined if the backend is
     * another product or an older version.
     */
    facts: () => find(MON_API.planFacts),
    /** Returns the upgrade plans, newest first. */
    plans: () => call(MON_API.plans),
    plan: (id: number) => find(MON_API.plan, { path: { id } }),
    /**
     * Creates an upgrade plan.
     *
     * @throws MonError `conflict` while another plan is open; the message names that plan
     */
    create: (plan: Pick<NewPlan, 'from' | 'to'> & Partial<NewPlan>) => call(MON_API.createPlan, { body: plan }),
    /**
     * Executes an order on a plan, such as starting a step.
     *
     * @throws MonError `conflict`, `invalid` or `not_found` if the order is not possible; the message contains the
     *   reason
     */
    order: (id: number, order: PlanOrder) => call(MON_API.orderPlan, { path: { id }, body: order }),
  };
}

/** A client for upgrade plans. Every method throws MonError like the methods of `ApiClient`. */
export type UpgradeClient = Readonly<ReturnType<typeof buildClient>>;

/** Creates an upgrade client that sends its requests with the given requester. */
const buildUpgradeClient: (...args: Parameters<typeof buildClient>) => UpgradeClient = buildClient;
