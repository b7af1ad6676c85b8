/** What `credence verify` uses of the core, in one module that is loaded when it is needed. */
export { plainIssues } from '../../core/plain-issue.ts';
export { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
export { toVerifiedTranscriptV2 } from '../../core/web-proof/verified-transcript.ts';
export { createVerifyWebProof } from '../../core/web-proof/verify.ts';
export { webProofSchema } from '../../core/web-proof/web-proof.ts';
