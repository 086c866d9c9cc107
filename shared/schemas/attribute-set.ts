/** The value of an attribute as text. A list has the texts of its items. */
export type AttributeValue = string | readonly string[];

/**
 * The attributes of a client or of a check that lists of events can be searched and sorted by. Redacted attributes are
 * not included. Many events share one set.
 */
export interface AttributeSet {
  /** Hash of the content; `''` if the set is not shared. */
  readonly id: string;
  /** The names of the attributes. The name of a nested attribute is its path with dots, such as `labels.region`. */
  readonly names: readonly string[];
  /** Returns the value of an attribute as texts. A list has several texts; an attribute that is missing has none. */
  readonly texts: (name: string) => readonly string[];
}

/**
 * Keys of an event row under which the program keeps the attributes of its client and its check. They are symbols, so
 * that the JSON of a row never contains the attributes of each event.
 */
export const CLIENT_ATTRIBUTES: unique symbol = Symbol('attributes of the client');
export const CHECK_ATTRIBUTES: unique symbol = Symbol('attributes of the check');

/** The attributes of the client and the check of an event; undefined if they are unknown. */
export interface EventAttributes {
  readonly [CLIENT_ATTRIBUTES]?: AttributeSet | undefined;
  readonly [CHECK_ATTRIBUTES]?: AttributeSet | undefined;
}

/** A set of attributes as a row of the feed. Rows of events refer to it by its id. */
export interface AttributeSetRow {
  /** Namespace of the set; present only if all namespaces are requested. */
  readonly namespace?: string;
  /** Identifies the content: sets with equal attributes have the same id, also in other backends. */
  readonly id: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}
