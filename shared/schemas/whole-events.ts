/**
 * Maximum number of events that a consumer of the feed may request in full: they fit in a frame even with long names.
 */
export const WHOLE_EVENTS_MAX = 100;
