/** The maximum number of events that a consumer can request in full: less than a frame even if names are long. */
export const FULL_EVENTS_MAX = 100;
