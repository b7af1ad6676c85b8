import type { CredenceClient, WebProof } from '@credence/client';

/** What `verify` takes. */
export type ProofInput = Parameters<CredenceClient['proofs']['verify']>[0];

/** A proof as `prove` returns it. @throws Error for a text that is none */
export function parseProof(text: string): ProofInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON. Choose the file of a web proof.');
  }
  const { data = value } = (value ?? {}) as { readonly data?: unknown };
  // The whole answer of the API holds the proof in `data`.
  const proof = (typeof data === 'object' ? data : value) as Partial<WebProof> | null;
  if (typeof proof?.data !== 'string' || typeof proof.version !== 'string' || !isRecord(proof.meta)) {
    throw new Error('The file holds no web proof. It needs the fields data, version and meta.');
  }
  return asInput(proof as WebProof);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** What prove warned of when it made the proof. A file may say anything. */
export function warningsOf({ meta }: ProofInput): readonly string[] {
  const { warnings } = meta as { readonly warnings?: unknown };
  return Array.isArray(warnings) ? warnings.filter((text) => typeof text === 'string') : [];
}

export function asInput({ data, version, meta }: WebProof): ProofInput {
  return { data, version: version as ProofInput['version'], meta };
}
