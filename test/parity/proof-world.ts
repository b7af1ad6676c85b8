/** The TLS origin that is proven, its authority, and web proofs of profiles as a client-side flow would send them. */
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { notaryKeyFingerprint } from '../../core/web-proof/tlsnotary/verify-attestation.ts';
import type { CredenceConfig } from '../../plugins/compose/index.ts';
import { testSigner, wholeProof } from '../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../support/test-ca.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';

export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

export interface ProofWorld {
  /** What may be proven. */
  readonly url: string;
  /** As `url`, of a page that does not exist: 404. */
  readonly missingUrl: string;
  /** Makes an instance trust the origin, and notarize with a known key. */
  readonly config: Partial<CredenceConfig>;
  /** Instagram's answer about the account that is logged in, to a request with the code; signed by a trusted notary. */
  ownAccount(handle: string, code: string): Promise<object>;
  /** As `ownAccount`, by an endpoint whose answer has no account id. */
  ownForm(handle: string, code: string): Promise<object>;
  close(): Promise<void>;
}

export async function createProofWorld(): Promise<ProofWorld> {
  const root = issueRoot();
  const authority = createAuthority(root);
  const profile = jsonAnswer({ user: { id: 42, email: 'ada@example.com', plan: null } });
  const origin = await startOrigin(authority, {
    certificate: authority.leaf({ dns: ['localhost'] }),
    answer: ({ target }, socket) =>
      socket.write(target.startsWith('/me') ? profile : profile.replace('200 OK', '404 Not Found')),
  });
  let seed = 1;
  const proofOf = async (path: string, code: string, body: object) => {
    const serverName = 'www.instagram.com';
    const leaf = issueLeaf(root, [serverName]);
    const sent = Buffer.from(`GET ${path}?credence_code=${code} HTTP/1.1\r\nhost: ${serverName}\r\n\r\n`);
    const received = Buffer.from(jsonAnswer(JSON.stringify(body)));
    return wholeProof({ serverName, leaf, sent, received, seed: seed++ });
  };
  return {
    url: `https://localhost:${origin.port}/me?token=hidden-token`,
    missingUrl: `https://localhost:${origin.port}/nobody`,
    config: {
      services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
      extraRoots: [root.pem],
      egress: { allow: ['127.0.0.0/8', '::1/128'] },
      notary: { key: { secret: new Uint8Array(32).fill(7) } },
      trustedNotaries: [{ fingerprint: notaryKeyFingerprint(testSigner.verifyingKey) }],
      webProofCallback: { secret: CALLBACK_SECRET },
      zkProver: fakeProver(),
    },
    ownAccount: (handle, code) =>
      proofOf('/api/v1/accounts/current_user/', code, { user: { pk: '7', username: handle }, status: 'ok' }),
    ownForm: (handle, code) =>
      proofOf('/api/v1/accounts/edit/web_form_data/', code, { form_data: { username: handle }, status: 'ok' }),
    async close() {
      await origin[Symbol.asyncDispose]();
    },
  };
}
