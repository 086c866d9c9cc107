export const NO_INHIBITION = 'No inhibition: the configuration of the backend has no rule.';
