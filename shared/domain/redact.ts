import type { Client } from '../schemas/client.ts';
import type { Event } from '../schemas/event.ts';
import { isSettings, type Settings } from './merge-settings.ts';

/** Attributes whose values are always redacted (completion 1.10). */
const REDACT_KEYS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'pass',
  'api_key',
  'api-key',
  'api_token',
  'access_key',
  'secret_key',
  'private_key',
  'secret',
  'routing_key',
  'access_token_read',
  'access_token_write',
  'access_token_path',
  'webhook_url',
  'nickserv_password',
  'channel_password',
  'community',
  'keystore_password',
  'truststore_password',
  'proxy_password',
  'access_key_id',
  'secret_access_key',
]);

const REDACTED = 'REDACTED';

/** The attribute with `NAME=value` for the environment of a command. Its values are often secrets, under any name. */
const VARIABLES = 'env_vars';

/**
 * The attribute of webhooks with HTTP headers, which may contain credentials under any name. If headers are redacted,
 * the secret part of the URL is redacted too.
 */
const HEADERS = 'headers';

/** The topic of ntfy: anybody who knows it may read and write there. */
const TOPIC = 'topic';

/** Whether an attribute of this name is redacted by default. */
export function isHiddenKey(key: string): boolean {
  return REDACT_KEYS.has(key) || key === VARIABLES;
}

/** A client, or the attribute of one that matters here. */
type Redacting = Client | { readonly redact?: unknown };

/** Returns the keys to redact in the record of a client: its own `redact` list replaces the default one. */
export function redactKeysOf(client: Redacting): ReadonlySet<string> {
  return ownKeys(client['redact']) ?? REDACT_KEYS;
}

/**
 * Returns the keys to redact in the checks of a client: its own ones and the default ones. Much of a check comes from a
 * definition, whose secrets the client does not know.
 */
export function checkRedactKeysOf(client: Redacting): ReadonlySet<string> {
  return withDefaults(client['redact']);
}

/**
 * Whether another `redact` list would redact less of the record of a client.
 *
 * @param redactList null or absent: the default list
 */
export function uncovers(client: Client, redactList: unknown): boolean {
  const after = ownKeys(redactList) ?? REDACT_KEYS;
  return [...redactKeysOf(client)].some((key) => !after.has(key));
}

/** Returns the keys to redact in settings: those of the `client` section, the default ones, and those of handlers. */
export function settingsRedactKeys({ client }: Settings): ReadonlySet<string> {
  const keys = isSettings(client) ? withDefaults(client['redact']) : REDACT_KEYS;
  return new Set([...keys, HEADERS]);
}

/** Keys to redact in handlers and other definitions. */
export const DEFINITION_REDACT_KEYS: ReadonlySet<string> = new Set([...REDACT_KEYS, HEADERS]);

/** A URL, which may contain credentials before the host. */
const WEB_ADDRESS = /^(?<scheme>https?:\/\/)(?:[^/?#@]*@)?(?<host>[^/?#@\s]+)/i;

function withDefaults(redactList: unknown): ReadonlySet<string> {
  const own = ownKeys(redactList);
  return own === undefined ? REDACT_KEYS : new Set([...REDACT_KEYS, ...own]);
}

function ownKeys(redactList: unknown): ReadonlySet<string> | undefined {
  return Array.isArray(redactList) ? new Set(redactList.filter((key) => typeof key === 'string')) : undefined;
}

/** Redacts both parts of an event; returns the event itself if it contains no secrets. */
export function redactEvent<Shown extends Pick<Event, 'client' | 'check'>>(event: Shown): Shown {
  const client = redact(event.client, redactKeysOf(event.client));
  const check = redact(event.check, checkRedactKeysOf(event.client));
  return client === event.client && check === event.check ? event : { ...event, client, check };
}

const HIDDEN_KEY = new RegExp(`"(?:${[...REDACT_KEYS, VARIABLES].join('|')})":`);

/** Whether JSON from `JSON.stringify` has an attribute with a default key; far cheaper than `redact`. */
export function hasHiddenKey(json: string): boolean {
  return HIDDEN_KEY.test(json);
}

/** Whether a client has its own list of keys to redact. */
export function hasOwnRedactKeys(client: Redacting): boolean {
  return Array.isArray(client['redact']);
}

/** Returns a copy with the values of these keys replaced at every depth; the value itself if there are none. */
export function redact<T>(value: T, keys: ReadonlySet<string> = REDACT_KEYS): T {
  return redacted(value, keys) as T;
}

function redacted(value: unknown, keys: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    value.forEach((item, at) => {
      const shown = redacted(item, keys);
      if (shown !== item) (copy ??= [...value])[at] = shown;
    });
    return copy ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  const isWebhook = keys.has(HEADERS) && 'type' in value && value.type === 'webhook';
  for (const [key, item] of Object.entries(value)) {
    const shown = keys.has(key)
      ? REDACTED
      : key === VARIABLES && Array.isArray(item)
        ? item.map(redactedVariable)
        : isWebhook && key === 'url'
          ? redactedUrl(item)
          : isWebhook && key === TOPIC
            ? REDACTED
            : redacted(item, keys);
    if (shown !== item) (copy ??= { ...value })[key] = shown;
  }
  return copy ?? value;
}

/**
 * Merges an edited value that was read redacted: a value that comes back redacted keeps its present content.
 *
 * @param keys keys that were redacted when it was shown
 */
export function keepHidden<T>(sent: T, present: unknown, keys: ReadonlySet<string> = REDACT_KEYS): T {
  return withHidden(sent, present, keys) as T;
}

function withHidden(sent: unknown, present: unknown, keys: ReadonlySet<string>): unknown {
  if (typeof sent !== 'object' || sent === null || typeof present !== 'object' || present === null) return sent;
  if (Array.isArray(sent)) {
    return Array.isArray(present) ? sent.map((item, at) => withHidden(item, present[at], keys)) : sent;
  }
  if (Array.isArray(present)) return sent;
  const before = present as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(sent).map(([key, item]) => {
      if (key === VARIABLES && Array.isArray(item)) return [key, withHiddenVariables(item, before[key])];
      const isShownHidden = item === REDACTED && keys.has(key) && Object.hasOwn(before, key);
      return [key, isShownHidden ? before[key] : withHidden(item, before[key], keys)];
    }),
  );
}

/** Formats a variable as `NAME=REDACTED`; other values are redacted as a whole. */
function redactedVariable(variable: unknown): string {
  const name = nameOf(variable);
  return name === undefined ? REDACTED : `${name}=${REDACTED}`;
}

/** Restores the values of variables that come back redacted. */
function withHiddenVariables(sent: readonly unknown[], present: unknown): readonly unknown[] {
  const before: readonly unknown[] = Array.isArray(present) ? present : [];
  return sent.map((variable) =>
    variable === redactedVariable(variable)
      ? (before.find((own) => redactedVariable(own) === variable) ?? variable)
      : variable,
  );
}

function nameOf(variable: unknown): string | undefined {
  const end = typeof variable === 'string' ? variable.indexOf('=') : -1;
  return typeof variable === 'string' && end > 0 ? variable.slice(0, end) : undefined;
}

/** Redacts a URL down to its scheme and host, since the rest may authorize writing there. */
function redactedUrl(url: unknown): unknown {
  const { scheme, host } = (typeof url === 'string' ? WEB_ADDRESS.exec(url)?.groups : undefined) ?? {};
  return scheme === undefined || host === undefined ? REDACTED : `${scheme}${host}/${REDACTED}`;
}
