/** What of an exchange stays visible, in the parts in which hidden values are looked for. */
import type { ContentDecoder } from '../../ports/content-decoder.ts';
import { bytesOfSegments } from '../http/body.ts';
import { decodeContent } from '../http/decode-content.ts';
import { type HttpRequest, type HttpResponse, headersNamed, sideOf } from '../http/message.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { isAboutTalking, isAlwaysRevealed } from './header-values.ts';
import { blankHidden, type Place, type SearchedText } from './hidden-value-search.ts';
import { cannotRedact, type PlainExchange } from './hidden-values.ts';
import { matchPaths } from './json-path.ts';
import { findScalars, type JsonScalar, JsonUnreadable } from './json-values.ts';

/** Decoded bodies that are larger are not searched: it would take too long. */
const MAX_SEARCHED_BODY = 1_048_576;

/**
 * Everything that stays visible, part by part.
 * @param hidden what does not, per direction.
 * @throws DomainError `INTERNAL_SERVER_ERROR` when a body cannot be decoded, or is too large to be searched.
 */
export async function visibleTexts(
  { request, response }: PlainExchange,
  hidden: { readonly sent: readonly ByteRange[]; readonly received: readonly ByteRange[] },
  decoder: ContentDecoder,
): Promise<SearchedText[]> {
  return [
    ...(await messageTexts(request, hidden.sent, decoder)),
    ...(await messageTexts(response, hidden.received, decoder)),
  ];
}

/** What stays visible of a message. @throws DomainError as `visibleTexts` does */
export async function messageTexts(
  message: HttpRequest | HttpResponse,
  hidden: readonly ByteRange[],
  decoder: ContentDecoder,
): Promise<SearchedText[]> {
  const masked = blankHidden(message.raw, hidden);
  const side = sideOf(message);
  const plain = await searchableBody(message, decoder);
  const { segments, bytes } = message.body;
  const headers = 'allHeaders' in message ? message.allHeaders : message.headers;
  const urls = 'targetRange' in message ? [message.targetRange] : [];
  const values = headers.map(({ valueRange }) => valueRange);
  const isCompressed = plain !== bytes;
  const inBody = segments.map(({ transcriptStart: start, length }) => ({ start, end: start + length }));
  const rest = blankHidden(masked, [...values, ...urls, ...(isCompressed ? [] : inBody)]);
  const body = isCompressed ? plain : bytesOfSegments(segments, masked);
  return [
    ...urls.map(({ start, end }) => ({
      where: 'the request URL',
      bytes: masked.subarray(start, end),
      place: 'url' as const,
    })),
    ...headers.map(({ name, valueRange: { start, end } }) => ({
      where: `the ${side} header ${name.slice(0, 80)}`,
      bytes: masked.subarray(start, end),
      place: placeOf(name),
    })),
    // The first line, the names of headers, and framing.
    { where: `the ${side}`, bytes: rest, place: 'protocol' },
    ...bodyTexts(`the ${side} body`, plain, body),
  ];
}

/** The decoded body. */
async function searchableBody(message: HttpRequest | HttpResponse, decoder: ContentDecoder): Promise<Uint8Array> {
  const content = await decodeContent(message, decoder);
  const side = sideOf(message);
  if (content === null) {
    const coding = headersNamed(message, 'content-encoding').map(({ value }) => value.slice(0, 40));
    throw cannotRedact(
      `the ${side} body has an unknown content encoding (${coding.join(', ')}), so it cannot be searched for hidden values`,
    );
  }
  if (content.bytes.length > MAX_SEARCHED_BODY) {
    throw cannotRedact(
      `the decoded ${side} body has more than ${MAX_SEARCHED_BODY} bytes, too many to be searched for hidden values. Ask for less, or hide nothing`,
    );
  }
  return content.bytes;
}

function placeOf(header: string): Place {
  if (isAlwaysRevealed(header)) return 'fixed';
  // The server's name is part of every proof.
  return isAboutTalking(header) || header === 'host' ? 'protocol' : 'text';
}

/**
 * A body that stays visible in part: with the names of its fields, and its values alone.
 * @param plain the body with nothing hidden, to find its fields.
 */
function bodyTexts(where: string, plain: Uint8Array, masked: Uint8Array): SearchedText[] {
  const names: ByteRange[] = [];
  scalarsOf(plain, () => false, names);
  /** The fields, one by one, and only once a value is found: few bodies have one. */
  const parts = function* (): Generator<SearchedText, void> {
    for (const { range, path } of scalarsOf(plain, () => true)) {
      const bytes = masked.subarray(range.start, range.end);
      yield { where: `${where} (the field ${path.slice(0, 80)})`, bytes, place: 'text' };
    }
  };
  const values: SearchedText = { where, bytes: blankHidden(masked, names), place: 'text', parts };
  return names.length === 0 ? [values] : [values, { where, bytes: masked, place: 'names', parts }];
}

/** Some of the values of a JSON body; none of another. */
function scalarsOf(plain: Uint8Array, isWanted: () => boolean, names: ByteRange[] = []): readonly JsonScalar[] {
  try {
    return findScalars(plain, matchPaths([], 'wide'), isWanted, names);
  } catch (error) {
    if (error instanceof JsonUnreadable) return [];
    throw error;
  }
}
