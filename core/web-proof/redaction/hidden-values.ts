/** Which values of an exchange a policy hides, and what in the policy hides nothing. */
import { DomainError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import {
  type BodySegment,
  type HttpHeader,
  type HttpRequest,
  type HttpResponse,
  headersNamed,
  sideOf,
} from '../http/message.ts';
import { decodeLatin1 } from '../http/text.ts';
import { type ByteRange, clipRanges, lengthOfRanges } from '../tlsnotary/ranges.ts';
import { isSignature, tellsOfAnswer, tellsOfBody } from './derived-headers.ts';
import { hiddenHeaders, isAboutTalking, isAlwaysRevealed, showsExpressly } from './header-values.ts';
import { credentialParts, type HiddenValue, hiddenValue, MIN_SEARCHED_LENGTH } from './hidden-value.ts';
import { type JsonPath, matchPaths, parseJsonPath } from './json-path.ts';
import { findScalars, JsonUnreadable } from './json-values.ts';
import { formDecode, hiddenQueryValues, parameterNames, parametersWithoutValue } from './query-values.ts';
import { hides, type RedactionPolicy, type Selection } from './schema.ts';
import { hiddenToo } from './warnings.ts';

/** A finished exchange, nothing hidden yet. `request` and `response` are parsed from `raw` bytes of their own. */
export interface PlainExchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

/** The values that a policy hides in one direction. */
export interface HiddenValues {
  readonly values: readonly HiddenValue[];
  /** What the caller should know, in sentences. Names only, never values. */
  readonly warnings: readonly string[];
  /** Headers that the caller wants to see although they tell about what is hidden. */
  readonly telling: readonly string[];
}

/** JSON literals: their length says which one it is, and they stand everywhere. */
const LITERALS = new Set(['true', 'false', 'null']);

/** What of a request is hidden; needs no answer, so anyone who knows the request can foretell it. */
export function hiddenInRequest(request: HttpRequest, policy: RedactionPolicy): HiddenValues {
  const parameters = hiddenQueryValues(request, policy.urlQuery).map(({ name, range }) => {
    const decoded = formDecode(decodeLatin1(request.raw.subarray(range.start, range.end)));
    const value = hiddenValue(`the query parameter ${name}`, 'sent', request.raw, [range], [decoded]);
    return { ...value, named: policy.urlQuery.kind === 'deny' };
  });
  const { chosen, added, unmatched, telling } = hiddenInHeaders(request, policy.requestHeaders, {
    tells: policy.jsonBody.kind !== 'none' ? tellsOfAnswer : null,
    hidesMore: parameters.some(isHidden),
  });
  return {
    values: [...parameters, ...chosen, ...added.values],
    warnings: [
      ...unmatched,
      ...unmatchedNames('request.url_query', policy.urlQuery, parameterNames(request), 'parameter with a value'),
      ...shownWithoutValue(request, policy.urlQuery),
      ...added.warnings,
    ],
    telling,
  };
}

/**
 * What of a response is hidden.
 * @param hidesRequest something of the request is hidden, about which a signature over it would tell.
 */
export function hiddenInResponse(
  { request, response }: PlainExchange,
  policy: RedactionPolicy,
  hidesRequest: boolean,
): HiddenValues {
  const json = hiddenInJson(request, response, policy.jsonBody);
  const { chosen, added, unmatched, telling } = hiddenInHeaders(response, policy.responseHeaders, {
    tells: json.values.some(isHidden) ? tellsOfBody : null,
    hidesMore: hidesRequest,
  });
  return {
    values: [...chosen, ...json.values, ...added.values],
    warnings: [...unmatched, ...json.warnings, ...added.warnings],
    telling,
  };
}

/** True if bytes are hidden: an empty value has none. */
export function isHidden({ ranges }: HiddenValue): boolean {
  return lengthOfRanges(ranges) > 0;
}

/**
 * What is hidden of the headers of a message: those that a rule chooses, and those that tell about hidden values, unless an allowlist
 * names them.
 * @param tells whether a header of this name tells about what is hidden elsewhere; null if nothing of a body is
 * @param hidesMore more is hidden than headers of this message, about which a signature would tell
 */
function hiddenInHeaders(
  message: HttpRequest | HttpResponse,
  selection: Selection,
  { tells, hidesMore }: { readonly tells: ((name: string) => boolean) | null; readonly hidesMore: boolean },
) {
  const side = sideOf(message);
  const headers = 'allHeaders' in message ? message.allHeaders : message.headers;
  const headerValue = ({ name, valueRange }: HttpHeader, decoded: readonly string[]) => {
    const direction = side === 'request' ? 'sent' : 'received';
    return hiddenValue(`the ${side} header ${name}`, direction, message.raw, [valueRange], decoded);
  };
  const hidden = hiddenHeaders(headers, selection);
  const chosen = hidden.map((header): HiddenValue => {
    const { name } = header;
    const value = { ...headerValue(header, credentialParts(name, header.value)), named: selection.kind === 'deny' };
    // The server's name is part of every proof, so a hidden Host is no secret.
    if (side === 'request' && name === 'host') return { ...value, tellTales: [] };
    if (!isAboutTalking(name)) return value;
    return selection.kind === 'except' ? { ...value, tellTales: [] } : { ...value, aboutTalking: true };
  });
  const mayBeSigned = hidesMore || chosen.some(isHidden);
  const telling = headers.filter(
    (header) =>
      !header.opaque &&
      !hidden.includes(header) &&
      (tells?.(header.name) === true || (mayBeSigned && isSignature(header.name))),
  );
  const names = [...new Set(telling.map(({ name }) => name))];
  const unasked = names.filter((name) => !showsExpressly(selection, name));
  return {
    chosen,
    added: {
      values: telling.map((header) => {
        const value = headerValue(header, [/^(?:W\/)?"(.*)"$/.exec(header.value)?.[1] ?? '']);
        // A time is no secret, and short versions stand anywhere by chance.
        const isTime = /^(?:last-modified|if-(?:un)?modified-since)$/.test(header.name);
        const tellTales = isTime ? [] : value.tellTales.filter(({ length }) => length >= MIN_SEARCHED_LENGTH);
        return { ...value, tellTales };
      }),
      warnings: unasked.length === 0 ? [] : [hiddenToo(side, listOf(unasked))],
    },
    unmatched: unmatchedHeaders(`${side}.headers`, selection, headers),
    telling: names.filter((name) => !unasked.includes(name)).map((name) => `the ${side} header ${name}`),
  };
}

function hiddenInJson(
  request: HttpRequest,
  response: HttpResponse,
  selection: Selection,
): Pick<HiddenValues, 'values' | 'warnings'> {
  const { bytes, segments } = response.body;
  if (selection.kind === 'none') return { values: [], warnings: [] };
  const texts = new Map<JsonPath, string>();
  for (const name of selection.names) {
    const path = parseJsonPath(name);
    if (path !== null) texts.set(path, name);
  }
  const reached = new Set<JsonPath>();
  const warnings = () => {
    const missed = [...texts].filter(([path]) => !reached.has(path)).map(([, text]) => text);
    return noteUnmatched('response.json_body', selection.kind, missed, 'field of the response');
  };
  if (bytes.length === 0) return { values: [], warnings: warnings() };
  refuseCompressed(request, response);
  const named = selection.kind === 'deny';
  const root = matchPaths([...texts.keys()], named ? 'wide' : 'narrow', reached);
  try {
    const scalars = findScalars(bytes, root, ({ covered }) => hides(selection, covered));
    const place = bodyPlacer(segments);
    const values: HiddenValue[] = [];
    for (const { range, text, path } of scalars) {
      const value = hiddenValue(`the JSON field ${path}`, 'received', response.raw, place(range), [text]);
      const isLiteral = LITERALS.has(text);
      values.push({ ...value, named, isLiteral, tellTales: isLiteral ? [] : value.tellTales });
    }
    return { values, warnings: warnings() };
  } catch (error) {
    if (!(error instanceof JsonUnreadable)) throw error;
    throw cannotRedact(
      `the response body ${error.message} (status ${response.status}), so none of its fields can be hidden. Check the request, or leave json_body out of the redaction`,
    );
  }
}

function refuseCompressed(request: HttpRequest, response: HttpResponse): void {
  const coding = headersNamed(response, 'content-encoding').find(({ value }) => !/^(identity)?$/i.test(value));
  if (coding === undefined) return;
  const asked = headersNamed(request, 'accept-encoding').some(({ value }) => value.toLowerCase() !== 'identity');
  const advice = asked ? 'leave the accept-encoding header out of the request' : 'the server compresses unasked';
  throw cannotRedact(
    `the response body is compressed (${coding.value.slice(0, 40)}), so its JSON cannot be hidden in part; ${advice}`,
  );
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

function unmatchedHeaders(field: string, selection: Selection, headers: readonly HttpHeader[]): string[] {
  const fixed = selection.kind === 'deny' ? selection.names.filter((name) => isAlwaysRevealed(name.toLowerCase())) : [];
  const present = new Set([...headers.map(({ name }) => name), ...fixed.map((name) => name.toLowerCase())]);
  const missed = selection.names.filter((name) => !present.has(name.toLowerCase()));
  const warnings = noteUnmatched(field, selection.kind, missed, 'header');
  return fixed.length === 0 ? warnings : [...warnings, `${field}: always shown, so not hidden: ${listOf(fixed)}.`];
}

function unmatchedNames(field: string, selection: Selection, present: ReadonlySet<string>, what: string): string[] {
  const missed = selection.names.filter((name) => !present.has(name) && !present.has(formDecode(name)));
  return noteUnmatched(field, selection.kind, missed, what);
}

/** An allowlist is expected to hide them. */
function shownWithoutValue(request: HttpRequest, selection: Selection): string[] {
  if (selection.kind !== 'except') return [];
  const shown = parametersWithoutValue(request).filter(
    (name) => !selection.names.includes(name) && !selection.names.includes(formDecode(name)),
  );
  return shown.length === 0
    ? []
    : [`request.url_query_except: these have no value that could be hidden, so they are shown: ${listOf(shown)}.`];
}

function noteUnmatched(field: string, kind: Selection['kind'], missed: readonly string[], what: string): string[] {
  if (missed.length === 0) return [];
  return kind === 'deny'
    ? [`${field}: these match no ${what}, so they hide nothing: ${listOf(missed)}.`]
    : [`${field}_except: these match no ${what}, so they show nothing: ${listOf(missed)}.`];
}

const MAX_LISTED = 8;
const MAX_NAME = 80;

/** Names for a sentence; bounded, since names come from callers and servers. */
export function listOf(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_LISTED)
    .map(printable)
    .map((name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name));
  return names.length > MAX_LISTED ? `${shown.join(', ')} and ${names.length - MAX_LISTED} more` : shown.join(', ');
}

export function cannotRedact(reason: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The proof cannot be redacted: ${reason}.`);
}
