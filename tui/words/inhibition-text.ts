export const NO_INHIBITION_TEXT = 'No inhibition rules: the configuration of the backend has none.';
