/** Example bodies of every operation, for the OpenAPI document. */
import { ENGAGEMENT_EXAMPLES } from './engagement.ts';
import { LOOKUP_EXAMPLES } from './lookups.ts';
import type { OperationExample, OperationExamples } from './operation-examples.ts';
import * as example from './samples.ts';
import { WEB_PROOF_EXAMPLES } from './web-proofs.ts';

export const OPERATION_EXAMPLES: OperationExamples = {
  ...ENGAGEMENT_EXAMPLES,
  ...LOOKUP_EXAMPLES,
  ...WEB_PROOF_EXAMPLES,
};

/** Examples of path and query parameters, by name; those of the same story. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, string | number>> = {
  userId: 7,
  brandId: 3,
  webhookId: 3,
  deliveryId: 12,
  id: 5,
  challengeId: 9,
  attemptId: 31,
  tokenId: 2,
  handle: 'ada.l',
  name: 'points-ledger',
  externalId: 'user-42',
  platform: example.PLATFORM,
  url: example.POST_URL,
};

/** Empty for operations without JSON. */
export function examplesOf(operationId: string): OperationExample {
  return OPERATION_EXAMPLES[operationId] ?? {};
}
