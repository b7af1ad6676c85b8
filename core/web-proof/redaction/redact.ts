import { DomainError } from '../../errors.ts';
import type { ContentDecoder } from '../../ports/content-decoder.ts';
import { decodeContent } from '../http/decode-content.ts';
import {
  type BodySegment,
  type HttpHeader,
  type HttpRequest,
  type HttpResponse,
  headersNamed,
} from '../http/message.ts';
import { decodeLatin1 } from '../http/text.ts';
import { type ByteRange, clipRanges, complementOfRanges, unionOfRanges } from '../tlsnotary/ranges.ts';
import { blankHidden, findEcho, type SearchedText } from './echo.ts';
import { allResponseHeaders, alwaysRevealed, hiddenHeaders } from './header-values.ts';
import { credentialParts, type HiddenValue, hiddenValue } from './hidden-value.ts';
import { matchPaths, parseJsonPath } from './json-path.ts';
import { findScalars, JsonUnreadable } from './json-values.ts';
import { formDecode, hiddenQueryValues } from './query-values.ts';
import type { RedactionPolicy, Selection } from './schema.ts';

/** A finished exchange, nothing hidden yet. `request` and `response` are parsed from `raw` bytes of their own. */
export interface PlainExchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

/** What may be shown, canonical, per direction. */
export interface RevealedRanges {
  readonly sent: readonly ByteRange[];
  readonly received: readonly ByteRange[];
}

/**
 * Headers that say how to talk, not who is talking or what about: an allowlist hides them too, and then their values, which
 * may well stand elsewhere (`vary: accept-encoding`), are no secrets. A denylist that names one means it, as far as the
 * value can be hidden elsewhere: not in `content-type` and its like.
 */
const ABOUT_TALKING = new Set(
  'accept accept-charset accept-encoding accept-language accept-ranges age allow alt-svc cache-control connection content-language date expires keep-alive last-modified pragma referrer-policy server strict-transport-security trailer vary via x-content-type-options x-frame-options x-xss-protection'.split(
    ' ',
  ),
);

/** Decoded bodies that are larger are not searched: it would take too long. */
const MAX_SEARCHED_BODY = 1_048_576;

/**
 * Decides which bytes of an exchange stay visible. Only values are hidden: names, lengths and framing show.
 * @throws DomainError `INTERNAL_SERVER_ERROR` when the policy cannot be carried out soundly: a compressed or malformed
 * JSON body, a hidden value of 8 bytes or more that also stands in what stays visible, or a body too large to look for it.
 */
export async function redactExchange(
  exchange: PlainExchange,
  policy: RedactionPolicy,
  decoder: ContentDecoder,
): Promise<RevealedRanges> {
  const values = [...hiddenInRequest(exchange.request, policy), ...hiddenInResponse(exchange, policy)];
  const hiddenOf = (direction: HiddenValue['direction']) =>
    unionOfRanges(values.filter((value) => value.direction === direction).flatMap(({ ranges }) => ranges));
  const sent = hiddenOf('sent');
  const received = hiddenOf('received');
  const searched = values.filter(({ tellTales }) => tellTales.length > 0);
  if (searched.length > 0) await refuseEchoes(exchange, searched, sent, received, decoder);
  return {
    sent: complementOfRanges(sent, exchange.request.raw.length),
    received: complementOfRanges(received, exchange.response.raw.length),
  };
}

async function refuseEchoes(
  exchange: PlainExchange,
  values: readonly HiddenValue[],
  sent: readonly ByteRange[],
  received: readonly ByteRange[],
  decoder: ContentDecoder,
): Promise<void> {
  const { request, response } = exchange;
  const bodies = await visibleBodies(exchange, sent, received, decoder);
  const search = async (
    wanted: readonly HiddenValue[],
    sparedSent: readonly ByteRange[],
    sparedReceived: readonly ByteRange[],
  ) => {
    const echo = await findEcho(wanted, [
      { where: 'the request', bytes: blankHidden(request.raw, sparedSent) },
      { where: 'the response', bytes: blankHidden(response.raw, sparedReceived) },
      ...bodies,
    ]);
    if (echo.kind === 'unknown') throw cannotRedact('too many similar values are to be hidden to be told apart');
    if (echo.kind === 'found') {
      throw cannotRedact(
        `the value of ${echo.what} also stands in ${echo.where}, where it would stay visible; hide it there too, or show it in both places`,
      );
    }
  };
  const secret = values.filter(({ aboutTalking }) => aboutTalking !== true);
  await search(secret, sent, received);
  const told = allResponseHeaders(response.raw, response);
  const aboutTalking = values.filter((value) => value.aboutTalking === true);
  await search(aboutTalking, [...sent, ...alwaysRevealed(request.headers)], [...received, ...alwaysRevealed(told)]);
}

/** What of a request may be shown; needs no answer, so whoever knows the request can foretell it. */
export function revealedOfRequest(request: HttpRequest, policy: RedactionPolicy): readonly ByteRange[] {
  const hidden = hiddenInRequest(request, policy).flatMap(({ ranges }) => ranges);
  return complementOfRanges(unionOfRanges(hidden), request.raw.length);
}

function hiddenInRequest(request: HttpRequest, policy: RedactionPolicy): HiddenValue[] {
  const parameters = hiddenQueryValues(request, policy.urlQuery).map(({ name, range }) =>
    hiddenValue(
      `the query parameter ${name}`,
      'sent',
      request.raw,
      [range],
      [formDecode(decodeLatin1(request.raw.subarray(range.start, range.end)))],
    ),
  );
  const headers = hiddenHeaders(request.headers, policy.requestHeaders).map((header) => {
    const value = headerValue('request', header, request.raw, policy.requestHeaders);
    // The server's name is part of every proof, so a hidden Host is no secret.
    return header.name === 'host' ? { ...value, tellTales: [] } : value;
  });
  return [...parameters, ...headers];
}

function hiddenInResponse({ request, response }: PlainExchange, policy: RedactionPolicy): HiddenValue[] {
  const headers =
    policy.responseHeaders.kind === 'none'
      ? []
      : hiddenHeaders(allResponseHeaders(response.raw, response), policy.responseHeaders).map((header) =>
          headerValue('response', header, response.raw, policy.responseHeaders),
        );
  return [...headers, ...hiddenInJson(request, response, policy.jsonBody)];
}

function headerValue(
  side: 'request' | 'response',
  header: HttpHeader,
  transcript: Uint8Array,
  { kind }: Selection,
): HiddenValue {
  const direction = side === 'request' ? 'sent' : 'received';
  const parts = credentialParts(header.name, header.value);
  const value = hiddenValue(`the ${side} header ${header.name}`, direction, transcript, [header.valueRange], parts);
  if (!ABOUT_TALKING.has(header.name)) return value;
  return kind === 'except' ? { ...value, tellTales: [] } : { ...value, aboutTalking: true };
}

function hiddenInJson(request: HttpRequest, response: HttpResponse, selection: Selection): HiddenValue[] {
  const { bytes, segments } = response.body;
  if (selection.kind === 'none' || bytes.length === 0) return [];
  const coding = headersNamed(response, 'content-encoding').find(({ value }) => !/^(identity)?$/i.test(value));
  if (coding !== undefined) {
    const asked = headersNamed(request, 'accept-encoding').some(({ value }) => value.toLowerCase() !== 'identity');
    const advice = asked ? 'leave the accept-encoding header out of the request' : 'the server compresses unasked';
    throw cannotRedact(
      `the response body is compressed (${coding.value.slice(0, 40)}), so its JSON cannot be hidden in part; ${advice}`,
    );
  }
  const paths = selection.names.map(parseJsonPath).filter((path) => path !== null);
  const listedAreHidden = selection.kind === 'deny';
  const root = matchPaths(paths, listedAreHidden ? 'wide' : 'narrow');
  try {
    const scalars = findScalars(bytes, root, ({ covered }) => covered === listedAreHidden);
    const place = bodyPlacer(segments);
    return scalars.map(({ range, text, path }) =>
      hiddenValue(`the JSON field ${path}`, 'received', response.raw, place(range), [text]),
    );
  } catch (error) {
    if (!(error instanceof JsonUnreadable)) throw error;
    throw cannotRedact(
      `the response body ${error.message} (status ${response.status}), so none of its fields can be hidden; check the request, or leave json_body out of the redaction`,
    );
  }
}

/** Maps ranges of the body, asked for in ascending order, to the transcript: chunked framing may cut them. */
function bodyPlacer(segments: readonly BodySegment[]): (range: ByteRange) => ByteRange[] {
  let first = 0;
  return ({ start, end }) => {
    const placed: ByteRange[] = [];
    while (first < segments.length && endOf(segments[first]) <= start) first++;
    for (let i = first; i < segments.length; i++) {
      const segment = segments[i];
      if (segment === undefined || segment.bodyStart >= end) break;
      for (const part of clipRanges([{ start, end }], segment.bodyStart, endOf(segment))) {
        placed.push({ start: segment.transcriptStart + part.start, end: segment.transcriptStart + part.end });
      }
    }
    return placed;
  };
}

function endOf(segment: BodySegment | undefined): number {
  return segment === undefined ? Number.POSITIVE_INFINITY : segment.bodyStart + segment.length;
}

/** The bodies without the framing and compression in which they stand in the messages, where there is any. */
async function visibleBodies(
  { request, response }: PlainExchange,
  sent: readonly ByteRange[],
  received: readonly ByteRange[],
  decoder: ContentDecoder,
): Promise<SearchedText[]> {
  const texts: SearchedText[] = [];
  for (const [side, message] of [
    ['request', request],
    ['response', response],
  ] as const) {
    const hidden = side === 'request' ? sent : received;
    const content = await decodeContent(message, decoder, side);
    if (content === null) {
      throw cannotRedact(
        `the ${side} body has an unknown content encoding, so it cannot be searched for hidden values`,
      );
    }
    if (content.bytes.length > MAX_SEARCHED_BODY) {
      throw cannotRedact(
        `the decoded ${side} body has more than ${MAX_SEARCHED_BODY} bytes, too many to be searched for hidden values; ask for less, or hide nothing`,
      );
    }
    const compressed = content.bytes !== message.body.bytes;
    if (!compressed && message.body.segments.length < 2) continue;
    const bytes = compressed ? content.bytes : joinVisible(message.body.segments, blankHidden(message.raw, hidden));
    texts.push({ where: `the ${side} body`, bytes });
  }
  return texts;
}

function joinVisible(segments: readonly BodySegment[], blanked: Uint8Array): Uint8Array {
  const last = segments.at(-1);
  const joined = new Uint8Array(last === undefined ? 0 : last.bodyStart + last.length);
  for (const { bodyStart, transcriptStart, length } of segments) {
    joined.set(blanked.subarray(transcriptStart, transcriptStart + length), bodyStart);
  }
  return joined;
}

function cannotRedact(reason: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The proof cannot be redacted: ${reason}.`);
}
