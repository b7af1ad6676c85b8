/** Example bodies of operations, for the OpenAPI document: those of requests whose schemas show none, of core and of others. */
import * as example from './samples.ts';
import { VALUES } from './values.ts';

const { data, version, notaryUrl } = VALUES;
const proof = { data, version, meta: { notaryUrl } };
const proveRequest = {
  url: 'https://api.example.com/v1/me',
  headers: ['Authorization: Bearer my-session'],
  redaction: [{ request: { headers: ['authorization'] } }, { response: { json_body: ['user.email'] } }],
};
const compressRequest = { presentation: proof, extraction: { 'response.body': { jmespath: ['user.id'] } } };

/** By `operationId`. */
export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  attestQueries: { webProof: proof, queries: ['user.id'] },
  compressWebProof: compressRequest,
  compressWebProofFake: compressRequest,
  journalDecodeHelper: compressRequest,
  notarize: proveRequest,
  prove: proveRequest,
  readPostStatsBatch: { urls: [example.POST_URL, 'https://www.tiktok.com/@acme/video/7300000000000000000'] },
  verify: proof,
  verifyBatch: { proofs: [{ ...proof, id: 'first' }, proof] },
  verifyV1: proof,
  webProofCallback: { requestId: VALUES.requestId, presentationJson: { ...proof, version: '2.0.0' } },
};
