import type { HttpRequest } from '../http/message.ts';
import { decodeLatin1 } from '../http/text.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { hides, type Selection } from './schema.ts';

export interface QueryValue {
  readonly name: string;
  /** Where the value is in the sent bytes. */
  readonly range: ByteRange;
}

/**
 * The query parameters whose values a selection hides, every duplicate included. A name matches as it is in the URL or
 * with its percent escapes undone (`+` is a space), case-sensitively. A parameter without `=` has no value to hide.
 */
export function hiddenQueryValues(request: HttpRequest, selection: Selection): QueryValue[] {
  const named = new Set(selection.names.flatMap((name) => [name, formDecode(name)]));
  return parametersIn(request).filter(({ raw, name }) => hides(selection, named.has(raw) || named.has(name)));
}

/** The names of all parameters that have a value, in either spelling. */
export function parameterNames(request: HttpRequest): ReadonlySet<string> {
  return new Set(parametersIn(request).flatMap(({ raw, name }) => [raw, name]));
}

/** What the query has besides parameters with a value: it stays visible, since names do. */
export function parametersWithoutValue(request: HttpRequest): readonly string[] {
  const parts = queryOf(request)?.text.split('&') ?? [];
  return parts.filter((part) => part !== '' && !part.includes('='));
}

interface Parameter extends QueryValue {
  readonly raw: string;
}

/** Some servers also separate parameters with semicolons: both lists, so that what either hides is hidden. */
function parametersIn(request: HttpRequest): Parameter[] {
  const query = queryOf(request);
  if (query === null) return [];
  const separators = query.text.includes(';') ? [/&/, /[&;]/] : [/&/];
  return separators.flatMap((separator) => parameters(query.text, query.start, separator));
}

/** The query and where it is in the sent bytes; null without a question mark. */
function queryOf(request: HttpRequest): { readonly text: string; readonly start: number } | null {
  const { start, end } = request.targetRange;
  const target = decodeLatin1(request.raw.subarray(start, end));
  const question = target.indexOf('?');
  return question === -1 ? null : { text: target.slice(question + 1), start: start + question + 1 };
}

function parameters(query: string, offset: number, separator: RegExp): Parameter[] {
  const found: Parameter[] = [];
  let at = offset;
  for (const parameter of query.split(separator)) {
    const equals = parameter.indexOf('=');
    if (equals !== -1) {
      const raw = parameter.slice(0, equals);
      found.push({ raw, name: formDecode(raw), range: { start: at + equals + 1, end: at + parameter.length } });
    }
    at += parameter.length + 1;
  }
  return found;
}

/** Undoes `+`, and percent escapes if all of them are well-formed. */
export function formDecode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
