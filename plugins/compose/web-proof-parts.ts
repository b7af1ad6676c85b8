/** Makes the parts of web proofs. Loaded by the first instance that needs one: with it come cryptography and certificates. */
import { createLocalNotary, type NotaryKey } from '../../adapters/local-notary/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createTrustedNotariesFile } from '../../adapters/trusted-notaries-file/index.ts';
import { createVerificationWorkers } from '../../adapters/verification-worker/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import type { NotaryAdapter, NotaryContext } from '../../core/ports/adapter-values.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { ContentDecoder } from '../../core/ports/content-decoder.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Notary } from '../../core/ports/notary.ts';
import type { Transcripts } from '../../core/ports/transcripts.ts';
import { createAttestQueries, createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { createTranscriptsInProcess, createVerifyInTurn } from '../../core/web-proof/transcribe.ts';
import { createTrustedNotaries, type TrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof, type VerifyWebProof } from '../../core/web-proof/verify.ts';
import { madeBy } from './adapter-values.ts';
import type { ResolvedConfig } from './config.ts';
import type { Parts } from './tokens.ts';

/** What the embedded notary is called when nothing says where it can be reached. */
const UNNAMED_NOTARY = 'https://notary.invalid';

/** Parts that a thread can make for itself; one that a user has put in their place stays in this thread. */
const OURS = new WeakSet<object>();

function ours<T extends object>(part: T): T {
  OURS.add(part);
  return part;
}

export function makeCertificateChecker({ extraRoots }: ResolvedConfig): CertificateChecker {
  return ours(createX509CertificateChecker({ extraRoots }));
}

export function makeContentDecoder(): ContentDecoder {
  return ours(createZlibContentDecoder());
}

/** `key`: the host's own; undefined if it has none. */
export function makeTrustedNotaries(
  config: ResolvedConfig,
  key: NotaryKey | undefined,
  logger: Logger,
): TrustedNotaries {
  const own = key === undefined ? [] : [{ fingerprint: key.fingerprint }];
  const fixed = createTrustedNotaries([...own, ...config.trustedNotaries]);
  if (config.trustedNotariesFile === undefined) return fixed;
  const inFile = createTrustedNotariesFile({ path: config.trustedNotariesFile, logger });
  return {
    isTrusted: (fingerprint, time) => fixed.isTrusted(fingerprint, time) || inFile.isTrusted(fingerprint, time),
  };
}

export function makeVerifyWebProof(parts: Parts<'certificates' | 'decoder' | 'trustedNotaries'>): VerifyWebProof {
  return createVerifyWebProof({ ...parts, signatures: createNodeSignatureVerifier() });
}

type TranscriptsPart = 'config' | 'certificates' | 'decoder' | 'trustedNotaries' | 'verifyWebProof';

export function makeTranscripts(parts: Parts<TranscriptsPart>): Transcripts {
  const { config, certificates, decoder, trustedNotaries, verifyWebProof } = parts;
  return OURS.has(certificates) && OURS.has(decoder)
    ? createVerificationWorkers({ extraRoots: config.extraRoots, trustedNotaries }, verifyWebProof)
    : createTranscriptsInProcess(verifyWebProof);
}

type LocalNotaryPart = 'config' | 'key' | 'guard' | 'certificates' | 'decoder' | 'transcripts' | 'evaluator';

export function makeLocalNotary(parts: Parts<LocalNotaryPart | 'clock' | 'random'>): Notary {
  const { config, transcripts, evaluator, ...rest } = parts;
  const { key, random } = rest;
  const { key: _source, url, ...limits } = config.notary;
  const signer = createValuesSigner(key.secretKey);
  const verify = createVerifyInTurn(transcripts);
  return createLocalNotary({
    ...rest,
    ...limits,
    url: url ?? config.publicUrl ?? UNNAMED_NOTARY,
    extraRoots: config.extraRoots,
    attestationExtensions: createValuesExtensions(signer, random),
    attestQueries: createAttestQueries({ signer, fingerprint: key.fingerprint, verify, evaluator, random }),
  });
}

/** The configured one first, which is the default; the embedded one if none is. */
export async function makeNotaries(
  { adapters, remoteNotaries, extraRoots }: ResolvedConfig,
  embedded: () => Promise<Notary>,
  parts: Omit<NotaryContext, 'extraRoots'>,
): Promise<readonly [Notary, ...Notary[]]> {
  const context = { ...parts, extraRoots };
  const made = async (field: string, adapter: NotaryAdapter) =>
    madeBy<Notary>(field, ['notarize'], await adapter.create(context));
  // An adapter that makes nothing is a mistake: the embedded key must not sign in its place.
  const first = adapters.notary === undefined ? await embedded() : await made('notary', adapters.notary);
  const further = adapters.remoteNotaries.filter((each) => each !== adapters.notary);
  const values = await Promise.all(further.map((each) => made('remoteNotaries', each)));
  if (remoteNotaries.length === 0) return [first, ...values];
  const { httpNotary } = await import('../../adapters/http-notary/index.ts');
  const others = await Promise.all(remoteNotaries.map((each) => httpNotary(each).create(context)));
  return [first, ...values, ...others];
}
