import { expect, test } from 'vitest';
import { repositoryText } from '../../support/repository.ts';

test.each(['mon-agent', 'mon-backend'])('the unit of %s leaves no core dump, which would hold secrets', (program) => {
  expect(repositoryText(`scripts/package/${program}/${program}.service`)).toMatch(/^LimitCORE=0$/m);
});
