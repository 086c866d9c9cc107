import { clientSubscription } from '../../shared/domain/subscription.ts';
import { MonError } from '../../shared/errors.ts';
import { takes, type CommandOption, type Flags } from './flags.ts';

/** What is silenced. */
export const TARGET_OPTIONS: Readonly<Record<'check' | 'subscription' | 'client', CommandOption>> = {
  check: takes('NAME', 'this check; without a subscription or client: everywhere', { completes: 'check' }),
  subscription: takes('NAME', 'all clients with this subscription', { completes: 'subscription' }),
  client: takes('NAME', 'this client; short for --subscription client:NAME', { completes: 'client' }),
};

/** @throws MonError `invalid` */
export function targetOf(flags: Flags): { check: string | undefined; subscription: string | undefined } {
  const client = flags.value('client');
  const subscription = flags.value('subscription');
  if (client !== undefined && subscription !== undefined) {
    throw new MonError(
      'invalid',
      '--client and --subscription exclude each other: a client is the subscription client:NAME',
    );
  }
  return {
    check: flags.value('check'),
    subscription: client === undefined ? subscription : clientSubscription(client),
  };
}
