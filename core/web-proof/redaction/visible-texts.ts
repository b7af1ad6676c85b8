/** What of an exchange stays visible, in the parts in which hidden values are looked for. */
import type { ContentDecoder } from '../../ports/content-decoder.ts';
import { decodeContent } from '../http/decode-content.ts';
import { readLine } from '../http/header-lines.ts';
import {
  type BodySegment,
  type HttpHeader,
  type HttpRequest,
  type HttpResponse,
  headersNamed,
} from '../http/message.ts';
import { decodeHeaderText } from '../http/text.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { allVisible } from '../tlsnotary/visible-bytes.ts';
import { inOneCase, unescapings } from './decoded-texts.ts';
import { allResponseHeaders, isAboutTalking, isAlwaysRevealed } from './header-values.ts';
import { type HiddenValue, MIN_SEARCHED_LENGTH } from './hidden-value.ts';
import { blankHidden, type SearchedText } from './hidden-value-search.ts';
import { cannotRedact, type PlainExchange } from './hidden-values.ts';
import { matchPaths } from './json-path.ts';
import { findScalars, type JsonScalar, JsonUnreadable } from './json-values.ts';

/** Decoded bodies that are larger are not searched: it would take too long. */
const MAX_SEARCHED_BODY = 1_048_576;

/** Of `HTTP/1.1 200 `, which is the protocol's; the reason behind it is the server's. */
const STATUS_LENGTH = 13;

type Side = 'request' | 'response';

/** Short values are words of the protocol there: `public`, `close`, `Created`. */
const longOnly = (_value: HiddenValue, form: string) => form.length >= MIN_SEARCHED_LENGTH;

/** They are told there if they have digits or the caller named them: a server may well repeat them. */
const toldShort = (value: HiddenValue, form: string) =>
  form.length < MIN_SEARCHED_LENGTH && value.aboutTalking !== true && (value.named === true || /\d/.test(form));

/** Short words without digits are names of headers and fields as well. */
const isSchemaWord = (_value: HiddenValue, form: string) => form.length < MIN_SEARCHED_LENGTH && !/\d/.test(form);
const noSchemaWords = (value: HiddenValue, form: string) => !isSchemaWord(value, form);

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
    ...(await requestTexts(request, hidden.sent, decoder)),
    ...(await responseTexts(response, hidden.received, decoder)),
  ];
}

/** What stays visible of a request. @throws DomainError as `visibleTexts` does */
export function requestTexts(
  request: HttpRequest,
  hidden: readonly ByteRange[],
  decoder: ContentDecoder,
): Promise<SearchedText[]> {
  const masked = blankHidden(request.raw, hidden);
  const { headers, targetRange } = request;
  const url = urlText(masked.subarray(targetRange.start, targetRange.end));
  return messageTexts('request', request, { masked, start: url, covered: [targetRange], headers }, decoder);
}

function responseTexts(
  response: HttpResponse,
  hidden: readonly ByteRange[],
  decoder: ContentDecoder,
): Promise<SearchedText[]> {
  const masked = blankHidden(response.raw, hidden);
  const line = readLine(allVisible(response.raw), 0, 'response');
  const reason = masked.subarray(line.start + STATUS_LENGTH, line.end);
  const start = { where: 'the response status line', bytes: reason, heeds: noSchemaWords };
  const headers = allResponseHeaders(response.raw, response);
  return messageTexts('response', response, { masked, start, covered: [], headers }, decoder);
}

interface MaskedMessage {
  readonly masked: Uint8Array;
  /** Of its first line. */
  readonly start: SearchedText;
  /** What of the first line is searched with `start` only. */
  readonly covered: readonly ByteRange[];
  readonly headers: readonly HttpHeader[];
}

async function messageTexts(
  side: Side,
  message: HttpRequest | HttpResponse,
  { masked, start, covered, headers }: MaskedMessage,
  decoder: ContentDecoder,
): Promise<SearchedText[]> {
  const content = await decodeContent(message, decoder, side);
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
  const { segments } = message.body;
  const isCompressed = content.bytes !== message.body.bytes;
  const inBody = segments.map(({ transcriptStart, length }) => ({
    start: transcriptStart,
    end: transcriptStart + length,
  }));
  const searched = [...headers.map(({ line }) => line), ...covered, ...(isCompressed ? [] : inBody)];
  const texts = [start, ...headers.flatMap((header) => headerTexts(side, header, masked))];
  texts.push({ where: `the ${side}`, bytes: blankHidden(masked, searched), heeds: longOnly, notes: toldShort });
  const body = isCompressed ? content.bytes : joinVisible(segments, masked);
  if (body.length > 0) texts.push(...bodyTexts(`the ${side} body`, content.bytes, body));
  return texts;
}

/** A word that the caller did not name counts in the same letter case only: `"type":"User"` is not what `/user` shows. */
function urlText(bytes: Uint8Array): SearchedText {
  const spellings = unescapings(decodeHeaderText(bytes)).join('\0');
  const isOther = (value: HiddenValue, form: string) =>
    isSchemaWord(value, form) && value.named !== true && !value.tellTales.some((text) => spellings.includes(text));
  return {
    where: 'the request URL',
    bytes,
    heeds: (value, form) => !isOther(value, form),
    notes: isOther,
  };
}

function headerTexts(side: Side, header: HttpHeader, masked: Uint8Array): SearchedText[] {
  const where = `the ${side} header ${header.name.slice(0, 80)}`;
  const slice = ({ start, end }: ByteRange) => masked.subarray(start, end);
  const name: SearchedText = { where: `${where} (its name)`, bytes: slice(header.nameRange), heeds: noSchemaWords };
  const value: SearchedText = { where, bytes: slice(header.valueRange) };
  if (isAlwaysRevealed(header.name)) {
    const heeds = (hidden: HiddenValue, form: string) => longOnly(hidden, form) && hidden.aboutTalking !== true;
    return [name, { ...value, heeds, notes: toldShort }];
  }
  // The server's name is part of every proof.
  const isTechnical = isAboutTalking(header.name) || header.name === 'host';
  return [name, isTechnical ? { ...value, heeds: longOnly, notes: toldShort } : value];
}

/**
 * A body that stays visible in part, and its fields.
 * @param plain the body with nothing hidden, to find its fields.
 */
export function bodyTexts(where: string, plain: Uint8Array, masked: Uint8Array): SearchedText[] {
  const names: ByteRange[] = [];
  try {
    findScalars(plain, matchPaths([], 'wide'), () => false, names);
  } catch (error) {
    if (!(error instanceof JsonUnreadable)) throw error;
  }
  // Only once a value is found: few bodies have one.
  const parts = () => fieldTexts(where, plain, masked);
  const words = wordsOf(plain, names);
  const whole = {
    where,
    bytes: masked,
    parts,
    heeds: (value: HiddenValue, form: string) =>
      !isSchemaWord(value, form) || (value.named === true && words.has(form)),
  };
  return [whole, { where, bytes: blankHidden(masked, names), parts, heeds: isSchemaWord }];
}

/** The fields of a body, one by one: as views of the bytes, all of them at once would take too much memory. */
function* fieldTexts(where: string, plain: Uint8Array, masked: Uint8Array): Generator<SearchedText, void> {
  for (const { range, path } of scalarsOf(plain)) {
    yield {
      where: `${where} (the field ${path.slice(0, 80)})`,
      bytes: masked.subarray(range.start, range.end),
    };
  }
}

function scalarsOf(plain: Uint8Array): readonly JsonScalar[] {
  try {
    return findScalars(plain, matchPaths([], 'wide'), () => true);
  } catch (error) {
    if (error instanceof JsonUnreadable) return [];
    throw error;
  }
}

/** A word that the caller named counts as a name of its own, not as a part of one: `public` is none of `public_repos`. */
function wordsOf(body: Uint8Array, names: readonly ByteRange[]): ReadonlySet<string> {
  return new Set(names.flatMap(({ start, end }) => inOneCase(decodeHeaderText(body.subarray(start, end))).split(' ')));
}

function joinVisible(segments: readonly BodySegment[], blanked: Uint8Array): Uint8Array {
  const last = segments.at(-1);
  const joined = new Uint8Array(last === undefined ? 0 : last.bodyStart + last.length);
  for (const { bodyStart, transcriptStart, length } of segments) {
    joined.set(blanked.subarray(transcriptStart, transcriptStart + length), bodyStart);
  }
  return joined;
}
