/** Maximum number of event keys that a consumer can request in full. Even with long names they fit into one frame. */
export const FULL_EVENTS_MAX = 100;
