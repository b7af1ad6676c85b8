import type { ContentDecoder } from '../../ports/content-decoder.ts';
import type { HttpRequest } from '../http/message.ts';
import { type ByteRange, complementOfRanges, lengthOfRanges, unionOfRanges } from '../tlsnotary/ranges.ts';
import { bytesIn } from './decoded-texts.ts';
import { type HiddenValue, MIN_SEARCHED_LENGTH } from './hidden-value.ts';
import { findHiddenValue, MIN_BYTES, type SearchedText } from './hidden-value-search.ts';
import {
  cannotRedact,
  hiddenInRequest,
  hiddenInResponse,
  isHidden,
  listOf,
  type PlainExchange,
} from './hidden-values.ts';
import type { RedactionPolicy } from './schema.ts';
import { messageTexts, visibleTexts } from './visible-texts.ts';
import { alsoShown } from './warnings.ts';

export type { PlainExchange } from './hidden-values.ts';

/** What may be shown, canonical, per direction. */
export interface RevealedRanges {
  readonly sent: readonly ByteRange[];
  readonly received: readonly ByteRange[];
}

export interface Redaction extends RevealedRanges {
  /** What the caller should know about the redaction, in sentences: names that match nothing, headers hidden besides. */
  readonly warnings: readonly string[];
}

/**
 * Decides which bytes of an exchange stay visible. Only values are hidden: names, lengths and framing show. Headers whose values
 * are made from what is hidden (`ETag`, digests, signatures) are hidden with it.
 * @throws DomainError `INTERNAL_SERVER_ERROR` when the policy cannot be carried out soundly: a compressed or malformed
 * JSON body; a hidden value that also appears in what stays visible (of 4 to 7 bytes: as a whole word or number); a header
 * to show that tells about what is hidden; a value that `refuseShortValues` excludes; a body too large to look for values.
 * Rejects with the reason of `signal` once that is aborted.
 */
export async function redactExchange(
  exchange: PlainExchange,
  policy: RedactionPolicy,
  decoder: ContentDecoder,
  signal?: AbortSignal,
): Promise<Redaction> {
  const inRequest = hiddenInRequest(exchange.request, policy);
  const inResponse = hiddenInResponse(exchange, policy, inRequest.values.some(isHidden));
  const values = [...inRequest.values, ...inResponse.values];
  refuseSelection(values, [...inRequest.telling, ...inResponse.telling], policy);
  const hiddenOf = (direction: HiddenValue['direction']) =>
    unionOfRanges(values.filter((value) => value.direction === direction).flatMap(({ ranges }) => ranges));
  const sent = hiddenOf('sent');
  const received = hiddenOf('received');
  return {
    sent: complementOfRanges(sent, exchange.request.raw.length),
    received: complementOfRanges(received, exchange.response.raw.length),
    warnings: [
      ...inRequest.warnings,
      ...inResponse.warnings,
      ...(await refuseEchoes(values, () => visibleTexts(exchange, { sent, received }, decoder), signal)),
    ],
  };
}

/**
 * Refuses a request of which `redactExchange` would make no proof, whatever the answer is.
 * @throws DomainError `INTERNAL_SERVER_ERROR` as `redactExchange` does
 */
export async function refuseRequest(
  request: HttpRequest,
  policy: RedactionPolicy,
  decoder: ContentDecoder,
  signal?: AbortSignal,
): Promise<void> {
  const { values, telling } = hiddenInRequest(request, policy);
  refuseSelection(values, telling, policy);
  const hidden = unionOfRanges(values.flatMap(({ ranges }) => ranges));
  await refuseEchoes(values, () => messageTexts(request, hidden, decoder), signal);
}

/** What of a request may be shown; needs no answer, so anyone who knows the request can foretell it. */
export function revealedOfRequest(request: HttpRequest, policy: RedactionPolicy): readonly ByteRange[] {
  const hidden = hiddenInRequest(request, policy).values.flatMap(({ ranges }) => ranges);
  return complementOfRanges(unionOfRanges(hidden), request.raw.length);
}

function refuseSelection(
  values: readonly HiddenValue[],
  [telling]: readonly string[],
  { refuseShortValues }: RedactionPolicy,
): void {
  if (telling !== undefined) {
    throw cannotRedact(
      `${telling} is to be shown, but it tells about what is hidden. Hide it too, or hide nothing it depends on`,
    );
  }
  if (refuseShortValues) refuseShort(values);
}

function refuseShort(values: readonly HiddenValue[]): void {
  const short = values.find(
    ({ ranges, isLiteral, aboutTalking, tellTales }) =>
      isLiteral === true ||
      (aboutTalking !== true && tellTales.length > 0 && lengthOfRanges(ranges) < MIN_SEARCHED_LENGTH),
  );
  if (short === undefined) return;
  throw cannotRedact(
    `${short.what} is a boolean, null or a value of fewer than ${MIN_SEARCHED_LENGTH} bytes, and its length tells too much about it. To hide it anyway, leave refuseShortValues out`,
  );
}

/** @returns warnings about values too short to be refused. */
async function refuseEchoes(
  values: readonly HiddenValue[],
  visible: () => Promise<readonly SearchedText[]>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const wanted = values.filter(({ tellTales }) => tellTales.some((text) => bytesIn(text) >= MIN_BYTES));
  if (wanted.length === 0) return [];
  const texts = await visible();
  const found = findHiddenValue(wanted, texts, signal);
  if (found.kind === 'unknown') {
    throw cannotRedact(
      'it takes too long to look for what is to be hidden in what is shown. Hide less, or ask for less',
    );
  }
  if (found.kind === 'found') {
    throw cannotRedact(
      `the value of ${found.what} also appears in ${found.where}, where it would stay visible; hide it there too if a rule can, or show it in both places`,
    );
  }
  if (found.noted.length === 0) return [];
  return [alsoShown(listOf(found.noted))];
}
