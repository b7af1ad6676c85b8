/** What the examples of web proofs show. */

const FINGERPRINT = 'b593a6f7ea2ec684e47589b1a4dfe3490a0000000000000000000000000000ab';
const REQUEST = { method: 'GET', url: '/v1/me', version: 'HTTP/1.1', body: null, raw: '474554202f76312f6d65…' };
const RESPONSE = {
  status: 200,
  version: 'HTTP/1.1',
  body: '{"user":{"id":42,"email":"XXXXXXXXXXXXXXX"}}',
  raw: '485454502f312e3120323030…',
};
export const WEB_PROOFS = {
  attestation: '01a8ff…',
  data: '014000000000000000899cdccd…',
  delegatedGuestId: '0x6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51',
  details: { verificationGas: 264_316, warnings: [] },
  error: { code: 'INVALID_PRESENTATION', message: 'data is not a presentation.' },
  guestId: '0x2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe',
  hostConfirmed: true,
  journalDataAbi: '0x00000000000000000000000000000000000000c0',
  journalTypes: ['bytes32', 'string', 'string', 'uint256', 'bytes32', 'uint256'],
  journalValues: [
    `0x${FINGERPRINT}`,
    '"GET"',
    '"https://api.example.com/v1/me"',
    '1793525400',
    '0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658',
    '42',
  ],
  notarization: 'attesting',
  notaryKeyFingerprint: FINGERPRINT,
  notaryTrusted: true,
  notaryUrl: 'https://notary.example/v0.1.0-alpha.12',
  partlyHiddenGuestId: '0x30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
  serverDomain: 'api.example.com',
  solidityCodeSnippet:
    '(\n    bytes32 notaryKeyFingerprint,\n    …\n) = abi.decode(journalDataAbi, (bytes32, …));\nrequire(\n    keccak256(abi.encode(notaryKeyFingerprint, …)) == keccak256(journalDataAbi),\n    "The journal has other types."\n);',
  tlsTimestamp: 1_793_525_400,
  version: '0.1.0-alpha.12',
  zkProof: '0x1f4cbe00',
  'VerifiedTranscript.request': { ...REQUEST, headers: ['host: api.example.com', 'authorization: XXXXXXXX'] },
  'VerifiedTranscript.response': { ...RESPONSE, headers: ['content-type: application/json'] },
  'VerifiedTranscriptV1.request': { ...REQUEST, headers: [['host', 'api.example.com']] },
  'VerifiedTranscriptV1.response': { ...RESPONSE, headers: [['content-type', 'application/json']] },
};
