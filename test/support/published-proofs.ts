/** Proofs that other notaries have published, each with what it shows; none where they are not at hand. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { WebProof } from '../../core/web-proof/verify.ts';

const VECTORS = new URL('../../../shared/vectors/webproof/', import.meta.url);

export const HAS_PUBLISHED_PROOFS = existsSync(VECTORS);

export function publishedProofs<Proof extends { readonly presentation: WebProof }>(folder: string): [string, Proof][] {
  const at = new URL(`${folder}/`, VECTORS);
  if (!existsSync(at)) return [];
  return readdirSync(at).map((name) => [name, JSON.parse(readFileSync(new URL(name, at), 'utf8'))]);
}
