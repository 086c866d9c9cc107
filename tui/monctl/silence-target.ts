import { clientSubscription } from '../../shared/domain/subscription.ts';
import { MonError } from '../../shared/errors.ts';
import { valueOption, type CommandOption, type Flags } from './flags.ts';

/** Options of every command that creates a silence. */
export const REASON_OPTION: CommandOption = valueOption('TEXT', 'reason for the silence, shown to other operators', {
  short: 'm',
});
export const CREATOR_OPTION: CommandOption = valueOption('TEXT', 'name to record as the creator; default: USER@host');

/** Options that select the target of a silence: a check, a subscription or a client. */
const TARGET_OPTIONS: Readonly<Record<'check' | 'subscription' | 'client', CommandOption>> = {
  check: valueOption('NAME', 'match this check, on all clients unless --subscription or --client is set', {
    completes: 'reported-check',
  }),
  subscription: valueOption('NAME', 'match all clients with this subscription', { completes: 'subscription' }),
  client: valueOption('NAME', 'match this client; short for --subscription client:NAME', { completes: 'client' }),
};

/** Options that select the target of a silence: those of `TARGET_OPTIONS`, or `--selector` for a search. */
export const SEARCH_TARGET_OPTIONS: Readonly<Record<keyof typeof TARGET_OPTIONS | 'selector', CommandOption>> = {
  ...TARGET_OPTIONS,
  selector: valueOption('SEARCH', "events that match this search, for example 'client~web-* env=prod'"),
};

export type SearchTarget = ReturnType<typeof silenceTargetOf> & { selector: string | undefined };

/**
 * Returns the target of a silence from the options.
 *
 * @throws MonError `invalid` when no target is given, or the options cannot be combined
 */
export function requireTarget(flags: Flags): SearchTarget {
  const target = searchTargetOf(flags);
  if (Object.values(target).some((part) => part !== undefined)) return target;
  throw new MonError('invalid', 'select what to silence: use --check, --client, --subscription or --selector');
}

/**
 * Returns the target of a silence from the options; all its parts are `undefined` if none is given.
 *
 * @throws MonError `invalid` when the options cannot be combined
 */
export function searchTargetOf(flags: Flags): SearchTarget {
  const selector = flags.value('selector');
  const { check, subscription } = silenceTargetOf(flags);
  if (selector !== undefined && (check ?? subscription) !== undefined) {
    throw new MonError(
      'invalid',
      '--selector cannot be combined with --check, --client or --subscription: put these into the selector',
    );
  }
  return { check, subscription, selector };
}

/**
 * Parses a target that is written as one word: `web-001`, `web-001/disk`, `subscription:web`, `subscription:web/disk`,
 * `check:disk` or `search:client~web-*`.
 *
 * @throws MonError `invalid` for any other text
 */
export function readTarget(text: string): SearchTarget {
  const [, kind = 'client', target = ''] = /^(?:(client|subscription|check|search):)?(.*)$/su.exec(text) ?? [];
  if (kind === 'search' && target.trim() !== '') return { check: undefined, subscription: undefined, selector: target };
  const [name = '', check, ...others] = target.split('/');
  if (name === '' || check === '' || others.length > 0 || (kind === 'check' && check !== undefined)) {
    throw new MonError(
      'invalid',
      `${JSON.stringify(text)} is not a target: write CLIENT, CLIENT/CHECK, subscription:NAME, check:NAME or search:SEARCH`,
    );
  }
  if (kind === 'check') return { check: name, subscription: undefined, selector: undefined };
  return { check, subscription: kind === 'client' ? clientSubscription(name) : name, selector: undefined };
}

/**
 * Returns the check and the subscription that the options name; `--client` names a subscription too.
 *
 * @throws MonError `invalid` when both `--client` and `--subscription` are given
 */
export function silenceTargetOf(flags: Flags): { check: string | undefined; subscription: string | undefined } {
  const client = flags.value('client');
  const subscription = flags.value('subscription');
  if (client !== undefined && subscription !== undefined) {
    throw new MonError(
      'invalid',
      'use --client or --subscription, not both: --client NAME means --subscription client:NAME',
    );
  }
  return {
    check: flags.value('check'),
    subscription: client === undefined ? subscription : clientSubscription(client),
  };
}
