export const NO_INHIBITION = 'No inhibition rules: the configuration of the backend has none.';
