/** The maximum number of events whose full rows a consumer of the feed can request: less than a frame even if names are long. */
export const FULL_EVENTS_MAX = 100;
