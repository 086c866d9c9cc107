import type { Decision } from './decision.ts';

const BAD_REQUEST = { status: 400, body: { code: 1 } };
const A_DEFECT = 'a bad body is the fault of the caller: 500 has clients try again what never succeeds';
const NEVER_DELIVERS = 'a handler that can never deliver would lose every alert that is meant for it';

/** Of checks, handlers, entities and silences. */
export const RESOURCE_DECISIONS: readonly Decision[] = [
  { case: 'res-checks-a/check/hooks', what: /^PUT .*\/hooks\/critical$/, because: A_DEFECT, right: BAD_REQUEST },
  { case: 'res-checks-a/check/execute', what: /^POST /, because: A_DEFECT, right: BAD_REQUEST },
  {
    case: 'res-checks-a/check/content-types',
    lines: [2],
    because: 'the recorded answer loses what was sent: there are clients that name no content type',
    right: { status: 201 },
  },
  { case: 'res-entities/entities-invalid', lines: [1, 7, 11, 12, 13], because: A_DEFECT, right: BAD_REQUEST },
  {
    case: 'res-entities/entities-invalid',
    lines: [9],
    because: 'lets in who must stay out: rights are those of the namespace in the path, and it writes into another',
    right: BAD_REQUEST,
  },
  { case: 'res-handlers-etc-a/handlers-invalid', lines: [2, 11], because: NEVER_DELIVERS, right: BAD_REQUEST },
  {
    case: 'res-handlers-etc-a/handlers-delete',
    lines: [4],
    because: 'follows from the handlers that are refused above',
    right: { status: 200 },
  },
];
