import { describe, expect, it } from 'vitest';
import { createWebContentDecoder } from '../../../../adapters/web-decoder/index.ts';
import { createPortableCertificateChecker } from '../../../../adapters/x509/portable/portable-certificate-checker.ts';
import { createX509CertificateChecker } from '../../../../adapters/x509/x509-certificate-checker.ts';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/zlib-content-decoder.ts';
import { isDomainError } from '../../../../core/errors.ts';
import { createTrustedNotaries } from '../../../../core/web-proof/trusted-notaries.ts';
import { toVerifiedTranscriptV1, toVerifiedTranscriptV2 } from '../../../../core/web-proof/verified-transcript.ts';
import { createVerifyWebProof, type WebProof } from '../../../../core/web-proof/verify.ts';
import { HAS_PUBLISHED_PROOFS, publishedProofs } from '../../../support/published-proofs.ts';

interface Vector {
  readonly presentation: WebProof;
  readonly authed?: Record<'sent' | 'recv', readonly { start: number; end: number }[]>;
  readonly expected: Record<string, unknown>;
}

const trustedNotaries = createTrustedNotaries([]);
const verifiers = {
  'with node:crypto': { certificates: createX509CertificateChecker(), decoder: createZlibContentDecoder() },
  'in JavaScript alone': { certificates: createPortableCertificateChecker(), decoder: createWebContentDecoder() },
};

describe.runIf(HAS_PUBLISHED_PROOFS).each(Object.entries(verifiers))(
  'published and synthetic presentations, %s,',
  (_name, parts) => {
    const verify = createVerifyWebProof({ ...parts, trustedNotaries });

    for (const [name, { presentation, expected, authed }] of [
      ...publishedProofs<Vector>('real'),
      ...publishedProofs<Vector>('synthetic'),
    ]) {
      const { _notes, ...facts } = expected;
      const complete = facts.serverDomain !== null && facts.request !== null && facts.response !== null;
      it(`${complete ? 'accepts' : 'refuses'} ${name}`, async () => {
        if (!complete) {
          await expect(verify(presentation)).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
          return;
        }
        const proof = await verify(presentation);
        const { headers } = toVerifiedTranscriptV2(proof).request;
        // A line without a visible name may be another Host.
        const shownHost = headers.includes(`host: ${proof.serverDomain}`) && !headers.some((line) => /^X+$/.test(line));
        expect(toVerifiedTranscriptV2(proof)).toEqual({ ...facts, hostConfirmed: shownHost, notaryTrusted: false });
        const pairs = toVerifiedTranscriptV1(proof).response.headers.map(([header, value]) => `${header}: ${value}`);
        expect(pairs).toEqual(toVerifiedTranscriptV2(proof).response.headers);
        if (authed !== undefined) {
          expect(proof.transcript.sent.revealed).toEqual(authed.sent);
          expect(proof.transcript.received.revealed).toEqual(authed.recv);
        }
      });
    }

    for (const [name, { presentation, expected }] of publishedProofs<Vector>('negative')) {
      it(`refuses ${name}`, async () => {
        const error: unknown = await verify(presentation).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (!isDomainError(error)) throw new Error('It was not refused with a DomainError');
        if (typeof expected.code === 'string') expect(error.code).toBe(expected.code);
        else expect(expected.codeAnyOf).toContain(error.code);
      });
    }
  },
);
