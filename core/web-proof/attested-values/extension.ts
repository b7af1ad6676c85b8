/**
 * The extension that a notary puts into an attestation so that values of the response can be proven in zero knowledge. The
 * official verifier accepts an attestation with an extension it does not know, and the header's signature covers it.
 */

import type { ProofStatement } from '../../ports/zk-prover.ts';
import type { JournalValue } from '../extraction/journal-value.ts';
import { isAcceptableQuery } from '../extraction/queries.ts';
import { readJson, UnreadableJsonError } from '../extraction/read-json.ts';
import type { DecodedContent } from '../http/decode-content.ts';
import { decodeUtf8 } from '../http/text.ts';
import type { Extension } from '../tlsnotary/presentation.ts';
import { AttestationError, type OpenedAttestation, openAttestation } from './attestation.ts';
import type { Commitments } from './commitment-tree.ts';
import { type RequestFacts, requestCommitment, valueCommitment } from './commitments.ts';
import { type Attester, BY_NOTARY } from './program.ts';

/** The id of the extension, ASCII. */
export const EXTENSION_ID = 'credence.attested-values.v3';

const PARTIAL_CONTENT = 206;

/** True for a status whose body is the resource's value: 2xx, but no slice of it (206). */
export function isValueStatus(status: number): boolean {
  return status >= 200 && status < 300 && status !== PARTIAL_CONTENT;
}

/** What a presentation reveals, as far as values can be proven from it. */
export interface ProvableExchange extends RequestFacts {
  /** Status of the response. Values are signed for 2xx other than 206 only: no slices, no error pages. */
  readonly status: number;
  /** False for a request that may ask for something else than its method, URL and body say: see `requestProblem`. */
  readonly isRequestSealable: boolean;
  /** The decoded body of the response and where bytes of it are hidden; null when it cannot be decoded. */
  readonly body: DecodedContent | null;
  /** Bytes are hidden that a prover chose and that the notary never saw: the fingerprint of that blind notary, 32 bytes. */
  readonly hiddenByProver?: Uint8Array | undefined;
  /** A prover held the connection, and the response ends with it. */
  readonly mayBeCutShort?: boolean | undefined;
}

/**
 * The scalars of the response by canonical path, as they go into the tree; deterministic, so that notary and verifier agree. None of
 * a response whose status stands for no value, or whose body cannot be decoded, is no JSON or has too many of them.
 */
export function attestableValues({ body, status }: ProvableExchange): ReadonlyMap<string, JournalValue> {
  if (!isValueStatus(status) || body === null) return new Map();
  try {
    const { scalars = [] } = readJson(body.bytes, body.hidden);
    return new Map([...scalars].filter(([path]) => isAcceptableQuery(path)));
  } catch (error) {
    if (error instanceof UnreadableJsonError) return new Map();
    throw error;
  }
}

/** The commitments about values, by the queries that give them. */
function valueCommitments(values: ReadonlyMap<string, JournalValue>): readonly bigint[] {
  return Array.from(values, ([query, value]) => valueCommitment(query, value));
}

/**
 * The role in which a notary signs an exchange. Nothing it signs can be sealed if the status stands for no value or the response
 * may continue. Nor can it if the request asks for something else than the journal says. If a prover has hidden bytes from it,
 * it acts as a delegate that only verified the proof. Hidden bytes can change the meaning of the rest.
 */
export function ownAttester(exchange: ProvableExchange): Attester {
  const { status, isRequestSealable, mayBeCutShort = false, hiddenByProver } = exchange;
  // A holder of the presentation can make the seal without this service, so only the signature can refuse it.
  if (!isValueStatus(status) || !isRequestSealable || mayBeCutShort) return { kind: 'notary', sealable: false };
  return hiddenByProver === undefined ? BY_NOTARY : { kind: 'delegate', notary: hiddenByProver, partlyHidden: true };
}

/** The commitments that the notary of an exchange signs. */
export function exchangeCommitments(exchange: ProvableExchange): Commitments {
  const values = valueCommitments(attestableValues(exchange));
  return { request: requestCommitment(exchange, ownAttester(exchange)), values };
}

/**
 * Checks the extension among `extensions` against what the presentation reveals; undefined when there is none. Throws
 * `AttestationError` when it does not hold, or when there is more than one.
 */
export function openValuesExtension(
  extensions: readonly Extension[],
  notaryKey: Uint8Array,
  exchange: ProvableExchange,
): OpenedAttestation | undefined {
  const [extension, second] = extensions.filter(({ id }) => decodeUtf8(id) === EXTENSION_ID);
  if (extension === undefined) return undefined;
  if (second !== undefined) throw new AttestationError('there is more than one attestation of values');
  return openAttestation(extension.value, notaryKey, exchangeCommitments(exchange));
}

/**
 * What an attester signs of `queries`: the request and the values that they gave on its response, attested rather than proven.
 * @throws RangeError unless there is one value for each query
 */
export function queryCommitments(
  { facts, queries, values }: Pick<ProofStatement, 'facts' | 'queries' | 'values'>,
  attester: Attester = BY_NOTARY,
): Commitments {
  if (values.length !== queries.length) throw new RangeError('there is one value for each query');
  // A query that is there twice is signed once.
  const byQuery = new Map(values.map((value, index) => [queries[index] ?? '', value]));
  return { request: requestCommitment(facts, attester), values: valueCommitments(byQuery) };
}
