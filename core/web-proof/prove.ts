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
 * It throws DomainError `INVALID_REQUEST` for a notary that is not configured, or twice.
 */
export function createNotaryChoice(deps: ProveDeps): (notaryUrl: string | undefined) => Notary {
  const { notaries } = deps;
  return (notaryUrl) => {
    if (notaryUrl === undefined) return notaries[0];
    const [notary, second] = notaries.filter(({ url }) => normalise(url) === normalise(notaryUrl));
    // One of the two may be blind: who sees the request is not left to the order of a list.
    if (notary !== undefined && second === undefined) return notary;
    const reason =
      notary === undefined
        ? 'none of the notaries of this service'
        : 'the address of two notaries of this service, of which its operator must remove one';
    throw new DomainError('INVALID_REQUEST', `notaryUrl is ${reason}; leave it out to use the default one.`);
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
