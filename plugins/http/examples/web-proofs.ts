/** Examples of the web-proof and zero-knowledge operations; long hex is cut short with an ellipsis. */
import { answers, type OperationExamples } from './operation-examples.ts';

const proof = {
  data: '014000000000000000899cdccd…',
  version: '0.1.0-alpha.12',
  meta: { notaryUrl: 'https://notary.example/v0.1.0-alpha.12' },
};
const success = (data: unknown) => answers({ apiVersion: 'v2.0', success: true, data });

const request = { method: 'GET', url: '/v1/me', version: 'HTTP/1.1', body: null, raw: '474554202f76312f6d65…' };
const response = {
  status: 200,
  version: 'HTTP/1.1',
  body: '{"user":{"id":42,"email":"XXXXXXXXXXXXXXX"}}',
  raw: '485454502f312e3120323030…',
};
const FINGERPRINT = 'b593a6f7ea2ec684e47589b1a4dfe3490a0000000000000000000000000000ab';
const parties = {
  serverDomain: 'api.example.com',
  hostConfirmed: true,
  notaryKeyFingerprint: FINGERPRINT,
  notaryTrusted: true,
};
const transcript = {
  ...parties,
  notarization: 'attesting',
  tlsTimestamp: 1_793_525_400,
  request: { ...request, headers: ['host: api.example.com', 'authorization: XXXXXXXX'] },
  response: { ...response, headers: ['content-type: application/json'] },
};
const proveRequest = {
  url: 'https://api.example.com/v1/me',
  headers: ['Authorization: Bearer my-session'],
  redaction: [{ request: { headers: ['authorization'] } }, { response: { json_body: ['user.email'] } }],
};
const compressRequest = { presentation: proof, extraction: { 'response.body': { jmespath: ['user.id'] } } };
const details = { verificationGas: 264_316, warnings: [] };
const compressed = success({
  zkProof: '0x1f4cbe00',
  journalDataAbi: '0x00000000000000000000000000000000000000c0',
  guestId: '0x1f4cbe0000000000000000000000000000000000000000000000000000000000',
  details,
});

export const WEB_PROOF_EXAMPLES: OperationExamples = {
  prove: { request: proveRequest, ...success(proof) },
  verify: { request: proof, ...success(transcript) },
  verifyBatch: {
    request: { proofs: [{ ...proof, id: 'first' }, proof] },
    ...success({
      results: [
        { index: 0, id: 'first', success: true, data: transcript },
        {
          index: 1,
          success: false,
          error: { code: 'INVALID_PRESENTATION', message: 'data is not a presentation.' },
        },
      ],
    }),
  },
  verifyV1: {
    request: proof,
    ...answers({
      success: true,
      ...parties,
      request: { ...request, headers: [['host', 'api.example.com']] },
      response: { ...response, headers: [['content-type', 'application/json']] },
    }),
  },
  compressWebProof: { request: compressRequest, ...compressed },
  compressWebProofFake: { request: compressRequest, ...compressed },
  journalDecodeHelper: {
    request: compressRequest,
    ...success({
      journalTypes: ['bytes32', 'string', 'string', 'uint256', 'bytes32', 'uint256'],
      journalValues: [
        `0x${FINGERPRINT}`,
        '"GET"',
        '"https://api.example.com/v1/me"',
        '1793525400',
        '0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658',
        '42',
      ],
      solidityCodeSnippet:
        '(\n    bytes32 notaryKeyFingerprint,\n    …\n) = abi.decode(journalDataAbi, (bytes32, …));\nrequire(\n    keccak256(abi.encode(notaryKeyFingerprint, …)) == keccak256(journalDataAbi),\n    "The journal has other types."\n);',
      journalDataAbi: '0x00000000000000000000000000000000000000c0',
      details,
    }),
  },
  readGuestId: success({
    guestId: '0x2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe',
    delegatedGuestId: '0x6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51',
    partlyHiddenGuestId: '0x30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
  }),
  notarize: { request: proveRequest, ...success(proof) },
  attestQueries: {
    request: { webProof: proof, queries: ['user.id'] },
    ...success({ attestation: '01a8ff…' }),
  },
};
