/** Which values of an exchange a policy hides, and what in the policy hides nothing. */
import { DomainError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import {
  type BodySegment,
  type HttpHeader,
  type HttpRequest,
  type HttpResponse,
  headersNamed,
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
  const chosen = hiddenHeaders(request.headers, policy.requestHeaders);
  const headers = chosen.map((header) => {
    const value = chosenHeader('request', header, request.raw, policy.requestHeaders);
    // The server's name is part of every proof, so a hidden Host is no secret.
    return header.name === 'host' ? { ...value, tellTales: [] } : value;
  });
  const hidesSomething = [...parameters, ...headers].some(isHidden);
  const added = validators('request', request.headers, request.raw, { chosen, selection: policy.requestHeaders }, [
    policy.jsonBody.kind !== 'none' ? tellsOfAnswer : null,
    hidesSomething ? isSignature : null,
  ]);
  return {
    values: [...parameters, ...headers, ...added.values],
    warnings: [
      ...unmatchedHeaders('request.headers', policy.requestHeaders, request.headers),
      ...unmatched('request.url_query', policy.urlQuery, parameterNames(request), 'parameter with a value'),
      ...shownWithoutValue(request, policy.urlQuery),
      ...added.warnings,
    ],
    telling: added.telling,
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
  const all = response.allHeaders;
  const chosen = hiddenHeaders(all, policy.responseHeaders);
  const headers = chosen.map((header) => chosenHeader('response', header, response.raw, policy.responseHeaders));
  const json = hiddenInJson(request, response, policy.jsonBody);
  const hidesBody = json.values.some(isHidden);
  const added = validators('response', all, response.raw, { chosen, selection: policy.responseHeaders }, [
    hidesBody ? tellsOfBody : null,
    hidesRequest || headers.some(isHidden) ? isSignature : null,
  ]);
  return {
    values: [...headers, ...json.values, ...added.values],
    warnings: [
      ...unmatchedHeaders('response.headers', policy.responseHeaders, all),
      ...json.warnings,
      ...added.warnings,
    ],
    telling: added.telling,
  };
}

/** True if bytes are hidden: an empty value has none. */
export function isHidden({ ranges }: HiddenValue): boolean {
  return lengthOfRanges(ranges) > 0;
}

function headerValue(
  side: 'request' | 'response',
  { name, valueRange }: HttpHeader,
  transcript: Uint8Array,
  decoded: readonly string[],
): HiddenValue {
  const direction = side === 'request' ? 'sent' : 'received';
  return hiddenValue(`the ${side} header ${name}`, direction, transcript, [valueRange], decoded);
}

/** A header that a rule hides. */
function chosenHeader(
  side: 'request' | 'response',
  header: HttpHeader,
  transcript: Uint8Array,
  { kind }: Selection,
): HiddenValue {
  const parts = credentialParts(header.name, header.value);
  const value = { ...headerValue(side, header, transcript, parts), named: kind === 'deny' };
  if (!isAboutTalking(header.name)) return value;
  return kind === 'except' ? { ...value, tellTales: [] } : { ...value, aboutTalking: true };
}

/** Hides the headers that tell about hidden values, unless an allowlist names them. */
function validators(
  side: 'request' | 'response',
  headers: readonly HttpHeader[],
  transcript: Uint8Array,
  { chosen, selection }: { readonly chosen: readonly HttpHeader[]; readonly selection: Selection },
  tests: readonly (((name: string) => boolean) | null)[],
): HiddenValues {
  const telling = headers.filter(
    (header) => !header.opaque && !chosen.includes(header) && tests.some((tells) => tells?.(header.name) === true),
  );
  const values = telling.map((header) => {
    const value = headerValue(side, header, transcript, [/^(?:W\/)?"(.*)"$/.exec(header.value)?.[1] ?? '']);
    // A time is no secret, and short versions stand anywhere by chance.
    const isTime = /^(?:last-modified|if-(?:un)?modified-since)$/.test(header.name);
    const tellTales = isTime ? [] : value.tellTales.filter(({ length }) => length >= MIN_SEARCHED_LENGTH);
    return { ...value, tellTales };
  });
  const names = [...new Set(telling.map(({ name }) => name))];
  const list = listOf(names.filter((name) => !showsExpressly(selection, name)));
  return {
    values,
    warnings: list === '' ? [] : [hiddenToo(side, list)],
    telling: names.filter((name) => showsExpressly(selection, name)).map((name) => `the ${side} header ${name}`),
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

function unmatched(field: string, selection: Selection, present: ReadonlySet<string>, what: string): string[] {
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
    .map((name) => printable(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name));
  return names.length > MAX_LISTED ? `${shown.join(', ')} and ${names.length - MAX_LISTED} more` : shown.join(', ');
}

export function cannotRedact(reason: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The proof cannot be redacted: ${reason}.`);
}
