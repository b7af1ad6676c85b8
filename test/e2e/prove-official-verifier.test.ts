import { describe, expect, it } from 'vitest';
import { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { setUpProving } from '../support/proving.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { type Answer, createAuthority, jsonAnswer, ORIGIN_NAME, startOrigin } from '../support/tls-origin.ts';
import { createOracle } from '../support/tlsn-oracle.ts';

const root = issueOracleRoot();
const authority = createAuthority(root);
const oracle = createOracle(root);
const { prove, verify } = setUpProving(authority, {
  attestationExtensions: createValuesExtensions(createValuesSigner(new Uint8Array(32).fill(7))),
});

const answer = jsonAnswer({ price: '3500.50', secret: 'of-the-server', list: [{ id: 1 }, { id: 2 }] }, [
  'Server: s3rver',
]);
const reply: Answer = ({ head }, socket) =>
  socket.write(head.startsWith('HEAD') ? answer.slice(0, answer.indexOf('{')) : answer);
const REQUESTS: readonly Record<string, unknown>[] = [
  {},
  {
    method: 'POST',
    body: '{"a":1}',
    headers: ['Authorization: Bearer s3cret-t0ken'],
    redaction: [{ request: { headers: ['authorization'] } }],
  },
  {
    redaction: [
      { request: { url_query_except: [], headers_except: ['host'] } },
      { response: { headers_except: [], json_body: ['secret', 'list.id'] } },
    ],
  },
  { redaction: [{ response: { json_body_except: ['price'] } }] },
  { redaction: [{ request: { headers: ['host'] } }] },
  { method: 'HEAD' },
];

describe('the official verifier', () => {
  it.each([
    ['rsa', 0],
    ['p256', 1],
    ['p384', 2],
    ['ed25519', 0],
  ] as const)('agrees on proofs of a server with a key of kind %s', async (kind, turn) => {
    await using origin = await startOrigin(authority, { answer: reply, certificate: authority.leaf({ kind }) });
    // Each kind of key with two of the requests.
    for (const request of REQUESTS.filter((_, index) => index % 3 === turn)) {
      const proof = await prove({ url: origin.url('/path?token=abc&symbol=E'), ...request });
      const verdict = await oracle(Buffer.from(proof.data, 'hex'));
      if (!verdict.accepted) throw new Error(verdict.reason);
      const { output } = verdict;
      const ours = await verify(proof);
      expect(ours).toMatchObject({ hostConfirmed: true, url: expect.stringMatching(/^https:\/\/origin\.test:\d+\//) });
      expect(output.server_name).toBe(ORIGIN_NAME);
      expect(output.connection_info.time).toBe(ours.tlsTimestamp);
      expect(Uint8Array.from(output.transcript?.sent ?? [])).toEqual(zeroed(ours.transcript.sent));
      expect(Uint8Array.from(output.transcript?.recv ?? [])).toEqual(zeroed(ours.transcript.received));
      expect(output.transcript?.sent_authed).toEqual(ours.transcript.sent.revealed);
      expect(output.transcript?.recv_authed).toEqual(ours.transcript.received.revealed);
    }
  });
});

/** The official verifier shows hidden bytes as zeros. */
function zeroed({
  bytes,
  hidden,
}: {
  bytes: Uint8Array;
  hidden: readonly { start: number; end: number }[];
}): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const { start, end } of hidden) copy.fill(0, start, end);
  return copy;
}
