import { parseDuration } from '../../shared/domain/duration.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { eventKey } from '../../shared/schemas/feed.ts';
import type { SubmittedSilenced } from '../../shared/schemas/silenced.ts';
import { editLine, EMPTY_LINE, type LineEdit, type LineEditor } from './line-editor.ts';

/** The event that an action is about, fixed when its key was pressed. */
export interface Target {
  readonly key: string;
  readonly client: string;
  readonly check: string;
}

/** Names cannot hold a slash, so the key of an event is read back without a doubt. */
export function targetOf(key: string): Target {
  const slash = key.indexOf('/');
  const client = key.slice(0, slash);
  const check = key.slice(slash + 1);
  return { key: eventKey(client, check), client, check };
}

export type SilenceScope = 'pairs' | 'checks' | 'clients' | 'subscription';

export const SILENCE_SCOPES: readonly SilenceScope[] = ['pairs', 'checks', 'clients', 'subscription'];

/** Offered ends, and what they are in seconds; `custom` is typed. */
export const SILENCE_DURATIONS = [
  { label: '15m', seconds: 900 },
  { label: '1h', seconds: 3600 },
  { label: '4h', seconds: 14_400 },
  { label: '8h', seconds: 28_800 },
  { label: '24h', seconds: 86_400 },
  { label: 'custom', seconds: undefined },
] as const;

const ONE_HOUR = 1;
const CUSTOM = SILENCE_DURATIONS.length - 1;

export type SilenceField =
  'scope' | 'subscription' | 'expires' | 'custom' | 'on-resolve' | 'reason' | 'cancel' | 'submit';

/** The silence dialog. It keeps its targets by name, whatever happens to the list behind it. */
export interface SilenceForm {
  readonly targets: readonly Target[];
  readonly scope: SilenceScope;
  /** Subscriptions that every target's client holds, its own `client:` one excluded. */
  readonly subscriptions: readonly string[];
  readonly subscription: number;
  readonly duration: number;
  readonly custom: LineEditor;
  readonly onResolve: boolean;
  readonly reason: LineEditor;
  readonly field: SilenceField;
  /** Why it was not sent, and what to do. */
  readonly problem: string | undefined;
  readonly sending: boolean;
}

/** Starts on the reason: everything before it has a useful default. */
export function openSilenceForm(targets: readonly Target[], subscriptions: readonly string[]): SilenceForm {
  return {
    targets,
    scope: 'pairs',
    subscriptions,
    subscription: 0,
    duration: ONE_HOUR,
    custom: EMPTY_LINE,
    onResolve: true,
    reason: EMPTY_LINE,
    field: 'reason',
    problem: undefined,
    sending: false,
  };
}

export type SilenceFormAction =
  | { readonly kind: 'field'; readonly by: 1 | -1 }
  | { readonly kind: 'choose'; readonly by: 1 | -1 }
  | { readonly kind: 'preset'; readonly number: number }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'edit'; readonly edit: LineEdit };

export function nextSilenceForm(form: SilenceForm, action: SilenceFormAction): SilenceForm {
  return changed({ ...form, problem: undefined }, action);
}

function changed(form: SilenceForm, action: SilenceFormAction): SilenceForm {
  switch (action.kind) {
    case 'field': {
      const fields = silenceFields(form);
      const at = (fields.indexOf(form.field) + action.by + fields.length) % fields.length;
      return { ...form, field: fields[at] ?? 'reason' };
    }
    case 'choose':
      return choose(form, action.by);
    case 'preset':
      return form.field === 'expires' && action.number >= 1 && action.number <= SILENCE_DURATIONS.length
        ? { ...form, duration: action.number - 1 }
        : form;
    case 'toggle':
      return form.field === 'on-resolve' ? { ...form, onResolve: !form.onResolve } : form;
    case 'edit':
      if (form.field === 'reason') return { ...form, reason: editLine(form.reason, action.edit) };
      if (form.field === 'custom') return { ...form, custom: editLine(form.custom, action.edit) };
      return form;
  }
}

function choose(form: SilenceForm, by: 1 | -1): SilenceForm {
  switch (form.field) {
    case 'scope': {
      const scopes = silenceScopes(form);
      const at = (scopes.indexOf(form.scope) + by + scopes.length) % scopes.length;
      return { ...form, scope: scopes[at] ?? 'pairs' };
    }
    case 'subscription': {
      const count = form.subscriptions.length;
      return { ...form, subscription: (form.subscription + by + count) % count };
    }
    case 'expires':
      return { ...form, duration: (form.duration + by + SILENCE_DURATIONS.length) % SILENCE_DURATIONS.length };
    case 'on-resolve':
      return { ...form, onResolve: !form.onResolve };
    case 'cancel':
    case 'submit':
      return { ...form, field: form.field === 'cancel' ? 'submit' : 'cancel' };
    case 'custom':
    case 'reason':
      return form;
  }
}

/** The scopes that can be chosen: a subscription only where the targets share one. */
export function silenceScopes(form: SilenceForm): readonly SilenceScope[] {
  return form.subscriptions.length > 0 ? SILENCE_SCOPES : SILENCE_SCOPES.filter((scope) => scope !== 'subscription');
}

/** The fields that Tab goes through: those of unchosen options are left out. */
export function silenceFields(form: SilenceForm): readonly SilenceField[] {
  return [
    'scope',
    ...(form.scope === 'subscription' ? (['subscription'] as const) : []),
    'expires',
    ...(form.duration === CUSTOM ? (['custom'] as const) : []),
    'on-resolve',
    'reason',
    'cancel',
    'submit',
  ];
}

/** What would be posted, one entry per row; independent of whether the form is complete. */
export function silenceScopeEntries(form: SilenceForm): readonly { subscription?: string; check?: string }[] {
  switch (form.scope) {
    case 'pairs':
      return form.targets.map(({ client, check }) => ({ subscription: clientSubscription(client), check }));
    case 'checks':
      return [...new Set(form.targets.map((target) => target.check))].map((check) => ({ check }));
    case 'clients':
      return [...new Set(form.targets.map((target) => target.client))].map((client) => ({
        subscription: clientSubscription(client),
      }));
    case 'subscription': {
      const subscription = form.subscriptions[form.subscription];
      return subscription === undefined ? [] : [{ subscription }];
    }
  }
}

/** Seconds until the entries end; `undefined` when the typed duration makes no sense. */
export function silenceSeconds(form: SilenceForm): number | undefined {
  const preset = SILENCE_DURATIONS[form.duration]?.seconds;
  if (preset !== undefined) return preset;
  const typed = parseDuration(form.custom.text.trim());
  return typed === undefined || typed === 0 ? undefined : typed;
}

export type SilenceSubmission =
  | { readonly kind: 'ready'; readonly entries: readonly SubmittedSilenced[] }
  | { readonly kind: 'incomplete'; readonly problem: string; readonly field: SilenceField };

/** What the form asks for, or the first thing that is missing. */
export function silenceSubmission(form: SilenceForm, creator: string): SilenceSubmission {
  const reason = form.reason.text.trim();
  if (reason === '') return { kind: 'incomplete', field: 'reason', problem: 'a reason is required: type why' };
  const expire = silenceSeconds(form);
  if (expire === undefined) {
    return { kind: 'incomplete', field: 'custom', problem: 'type a duration such as 90m, 2h or 1d12h' };
  }
  const entries = silenceScopeEntries(form).map(({ subscription, check }) => ({
    subscription,
    check,
    expire,
    expire_on_resolve: form.onResolve,
    reason,
    creator,
  }));
  return { kind: 'ready', entries };
}
