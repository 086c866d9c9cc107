/** Events that a consumer of the feed may name as wanted whole: less than a frame even where names are long. */
export const WHOLE_EVENTS_MAX = 100;
