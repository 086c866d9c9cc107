import type { Client } from '../schemas/client.ts';
import type { Event } from '../schemas/event.ts';
import { isSettings, type Settings } from './merge-settings.ts';

/** Names of the attributes whose values are redacted by default (completion 1.10). */
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

const REDACTED_TEXT = 'REDACTED';

/**
 * The attribute with the environment variables of a command, as `NAME=value`. Their values are always redacted, because
 * any variable can contain a secret.
 */
const VARIABLES_ATTRIBUTE = 'env_vars';

/**
 * The attribute of a webhook handler with its HTTP headers. Any header can contain a credential. If headers are
 * redacted, the path and query of the URL are redacted too.
 */
const HEADERS_ATTRIBUTE = 'headers';

/** The attribute with the secret part of the URL to which a chat sends clicks. */
const CALLBACK_TOKEN_ATTRIBUTE = 'callback_token';

/** The attribute of a webhook handler with the topic of ntfy. Anybody who knows a topic can read it and write to it. */
const TOPIC_ATTRIBUTE = 'topic';

/** Whether an attribute of this name is redacted by default. */
export function isRedactedByDefault(key: string): boolean {
  return REDACT_KEYS.has(key) || key === VARIABLES_ATTRIBUTE;
}

/** A client, or only its attribute `redact`: the names of the attributes whose values are redacted. */
type RedactListOwner = Client | { readonly redact?: unknown };

/** Returns the keys to redact in the attributes of a client: its own `redact` list replaces the default list. */
export function redactKeysOf(client: RedactListOwner): ReadonlySet<string> {
  return parseRedactList(client['redact']) ?? REDACT_KEYS;
}

/**
 * Returns the keys to redact in the checks of a client: those of its own `redact` list and the default keys. The
 * client's list alone is not enough, because many attributes of a check come from its definition.
 */
export function checkRedactKeysOf(client: RedactListOwner): ReadonlySet<string> {
  return addDefaultKeys(client['redact']);
}

/**
 * Whether a new `redact` list of a client would disclose an attribute of the client that is redacted now.
 *
 * @param redactList the new list; if it is not a list, the default list is used
 */
export function disclosesMore(client: Client, redactList: unknown): boolean {
  const after = parseRedactList(redactList) ?? REDACT_KEYS;
  return [...redactKeysOf(client)].some((key) => !after.has(key));
}

/**
 * Returns the keys to redact in a configuration: the default keys, those of the `redact` list in the section `client`,
 * and `headers`.
 */
export function settingsRedactKeys({ client }: Settings): ReadonlySet<string> {
  const keys = isSettings(client) ? addDefaultKeys(client['redact']) : REDACT_KEYS;
  return new Set([...keys, HEADERS_ATTRIBUTE, CALLBACK_TOKEN_ATTRIBUTE]);
}

/** Keys to redact in handlers and other configured objects. */
export const DEFINITION_REDACT_KEYS: ReadonlySet<string> = new Set([
  ...REDACT_KEYS,
  HEADERS_ATTRIBUTE,
  CALLBACK_TOKEN_ATTRIBUTE,
]);

/** Matches the start of an HTTP URL up to its host; credentials in front of the host are skipped. */
const WEB_ADDRESS = /^(?<scheme>https?:\/\/)(?:[^/?#@]*@)?(?<host>[^/?#@\s]+)/i;

function addDefaultKeys(redactList: unknown): ReadonlySet<string> {
  const own = parseRedactList(redactList);
  return own === undefined ? REDACT_KEYS : new Set([...REDACT_KEYS, ...own]);
}

function parseRedactList(redactList: unknown): ReadonlySet<string> | undefined {
  return Array.isArray(redactList) ? new Set(redactList.filter((key) => typeof key === 'string')) : undefined;
}

/** Redacts the client and the check of an event; returns the event itself if it contains no secrets. */
export function redactEvent<Shown extends Pick<Event, 'client' | 'check'>>(event: Shown): Shown {
  const client = redact(event.client, redactKeysOf(event.client));
  const check = redact(event.check, checkRedactKeysOf(event.client));
  return client === event.client && check === event.check ? event : { ...event, client, check };
}

const HIDDEN_KEY = new RegExp(`"(?:${[...REDACT_KEYS, VARIABLES_ATTRIBUTE].join('|')})":`);

/** Whether a text from `JSON.stringify` contains a key that is redacted by default. It is far cheaper than `redact`. */
export function hasKeyRedactedByDefault(json: string): boolean {
  return HIDDEN_KEY.test(json);
}

/** Whether a client has its own list of keys to redact. */
export function hasOwnRedactKeys(client: RedactListOwner): boolean {
  return Array.isArray(client['redact']);
}

/**
 * Returns a copy in which the values of these keys and of environment variables are `REDACTED` at every depth. Returns
 * the value itself if there is nothing to redact.
 */
export function redact<T>(value: T, keys: ReadonlySet<string> = REDACT_KEYS): T {
  return redactValue(value, keys) as T;
}

function redactValue(value: unknown, keys: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    value.forEach((item, at) => {
      const shown = redactValue(item, keys);
      if (shown !== item) (copy ??= [...value])[at] = shown;
    });
    return copy ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  const isWebhook = keys.has(HEADERS_ATTRIBUTE) && 'type' in value && value.type === 'webhook';
  for (const [key, item] of Object.entries(value)) {
    const shown = keys.has(key)
      ? REDACTED_TEXT
      : key === VARIABLES_ATTRIBUTE && Array.isArray(item)
        ? item.map(redactedVariable)
        : isWebhook && key === 'url'
          ? redactedUrl(item)
          : isWebhook && key === TOPIC_ATTRIBUTE
            ? REDACTED_TEXT
            : redactValue(item, keys);
    if (shown !== item) (copy ??= { ...value })[key] = shown;
  }
  return copy ?? value;
}

/**
 * Restores redacted values in an object that was edited by a client of the API. An attribute that is still `REDACTED`
 * gets its stored value.
 *
 * @param sent the edited object
 * @param present the stored object
 * @param keys keys that were redacted when the client read the object
 */
export function restoreRedacted<T>(sent: T, present: unknown, keys: ReadonlySet<string> = REDACT_KEYS): T {
  return withRestoredValues(sent, present, keys) as T;
}

function withRestoredValues(sent: unknown, present: unknown, keys: ReadonlySet<string>): unknown {
  if (typeof sent !== 'object' || sent === null || typeof present !== 'object' || present === null) return sent;
  if (Array.isArray(sent)) {
    return Array.isArray(present) ? sent.map((item, at) => withRestoredValues(item, present[at], keys)) : sent;
  }
  if (Array.isArray(present)) return sent;
  const before = present as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(sent).map(([key, item]) => {
      if (key === VARIABLES_ATTRIBUTE && Array.isArray(item)) return [key, withHiddenVariables(item, before[key])];
      const isShownHidden = item === REDACTED_TEXT && keys.has(key) && Object.hasOwn(before, key);
      return [key, isShownHidden ? before[key] : withRestoredValues(item, before[key], keys)];
    }),
  );
}

/** Formats an environment variable as `NAME=REDACTED`; a value without a name becomes `REDACTED`. */
function redactedVariable(variable: unknown): string {
  const name = nameOf(variable);
  return name === undefined ? REDACTED_TEXT : `${name}=${REDACTED_TEXT}`;
}

/** Restores the stored values of environment variables that are still `NAME=REDACTED`. */
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

/** Redacts everything in a URL except its scheme and host, because any other part can contain a credential. */
function redactedUrl(url: unknown): unknown {
  const { scheme, host } = (typeof url === 'string' ? WEB_ADDRESS.exec(url)?.groups : undefined) ?? {};
  return scheme === undefined || host === undefined ? REDACTED_TEXT : `${scheme}${host}/${REDACTED_TEXT}`;
}
