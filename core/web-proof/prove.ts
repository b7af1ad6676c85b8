import { DomainError } from '../errors.ts';
import type { Notary } from '../ports/notary.ts';
import { notaryLabel } from './notary-label.ts';
import type { ProveRequest } from './prove-request.ts';
import type { WebProof } from './verify.ts';

export { type ProveRequest, proveRequestSchema } from './prove-request.ts';

export interface ProveDeps {
  /** The first is the default; callers may choose among these and no others. */
  readonly notaries: readonly [Notary, ...Notary[]];
}

export type Prove = (request: ProveRequest, signal: AbortSignal, caller?: string) => Promise<WebProof>;

/**
 * Makes a function from the `notaryUrl` of a request to its notary.
 * It throws DomainError `INVALID_REQUEST` for a notary that is not configured.
 */
export function createNotaryChoice(deps: ProveDeps): (notaryUrl: string | undefined) => Notary {
  const { notaries } = deps;
  const byUrl = new Map(notaries.map((notary) => [normalise(notary.url), notary]));
  return (notaryUrl) => {
    const notary = notaryUrl === undefined ? notaries[0] : byUrl.get(normalise(notaryUrl));
    if (notary !== undefined) return notary;
    throw new DomainError(
      'INVALID_REQUEST',
      'notaryUrl is none of the notaries of this service; leave it out to use the default one.',
    );
  };
}

/**
 * The prove use case: one notarized HTTPS request (docs/specification/web-proofs.md#endpoints).
 * @param dependencies the notaries. `notaryUrl` in a request names one of them: no caller can make the service connect to an
 * address of its own choosing.
 * @returns a function of a request that `proveRequestSchema` has parsed.
 * It throws DomainError `INVALID_REQUEST` for a notary that is not configured, and what `Notary.notarize` throws.
 */
export function createProve(deps: ProveDeps): Prove {
  const choose = createNotaryChoice(deps);
  return async ({ notaryUrl, ...request }, signal, caller) => choose(notaryUrl).notarize(request, signal, caller);
}

function normalise(url: string): string {
  return notaryLabel(URL.canParse(url) ? new URL(url).href : url);
}
