import { selectorId } from '../../../../shared/domain/silencing.ts';
import type { Selector } from '../../../../shared/domain/selector.ts';
import { MonError } from '../../../../shared/errors.ts';
import type { Namespace } from '../registry/namespace.ts';

/**
 * Maximum total evaluation cost of the selectors of one namespace, see `Selector.cost`. For example, 12,000 selectors
 * such as `client~web-*-17* env=prod check!=backup` stay below it. Evaluating them all for a new check takes a few
 * milliseconds.
 */
export const SELECTORS_COST_MAX = 100_000;

type SelectorCosts = { readonly silenced: Pick<Namespace['silenced'], 'hasSelector' | 'selectorCost'> };

/**
 * Rejects new selectors if they would exceed the cost budget of a namespace.
 *
 * @throws MonError `threshold` if the budget would be exceeded
 */
export function refuseCostly(namespace: SelectorCosts, selectors: readonly Selector[]): void {
  const problem = costProblem(namespace, selectors);
  if (problem !== undefined) throw new MonError('threshold', problem);
}

/**
 * Returns an error message if these selectors would exceed the cost budget of a namespace; otherwise undefined. A
 * selector that exists already adds no cost, and a repeated selector is added once.
 */
export function costProblem({ silenced }: SelectorCosts, selectors: readonly Selector[]): string | undefined {
  const fresh = new Map<string, number>();
  for (const { text, cost } of selectors) {
    const id = selectorId(text);
    if (!silenced.hasSelector(id)) fresh.set(id, cost);
  }
  let cost = 0;
  for (const one of fresh.values()) cost += one;
  return cost > 0 && silenced.selectorCost + cost > SELECTORS_COST_MAX
    ? tooCostly(silenced.selectorCost, cost)
    : undefined;
}

/**
 * Rejects any new selector if the existing selectors have used up the cost budget of a namespace. Called during the
 * commit, because other selectors can have been committed since `refuseCostly` was called.
 *
 * @throws MonError `threshold` if the budget is used up
 */
export function refuseBeyondBudget({ silenced }: SelectorCosts): void {
  const { selectorCost: cost } = silenced;
  if (cost >= SELECTORS_COST_MAX) throw new MonError('threshold', tooCostly(cost, 1));
}

function tooCostly(cost: number, more: number): string {
  const [present, added, max] = [cost, more, SELECTORS_COST_MAX].map((count) => count.toLocaleString('en-US'));
  return (
    `selector: the selectors of this namespace have a cost of ${present ?? ''}, these would add ${added ?? ''}, and the limit ` +
    `(selector cost) is ${max ?? ''}: clear some, or use fewer terms and patterns`
  );
}
