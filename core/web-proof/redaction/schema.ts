import { z } from 'zod';
import { countWildcards, parseJsonPath } from './json-path.ts';

/** Bounds on what one request may ask to hide. */
const MAX_RULES = 64;
const MAX_NAMES = 200;
const MAX_NAME_LENGTH = 1_024;

/** Of all JSON paths together: every name in an answer is compared with what lies behind each of them. */
const MAX_WILDCARDS = 256;

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const names = (item: z.ZodType<string>) => z.array(item).max(MAX_NAMES).optional();
const headerName = z.string().max(MAX_NAME_LENGTH).regex(HEADER_NAME, 'not a header name');
const parameterName = z.string().min(1).max(MAX_NAME_LENGTH);
const jsonPath = z
  .string()
  .max(MAX_NAME_LENGTH)
  .refine((path) => parseJsonPath(path) !== null, 'not a JSON path such as user.email, items[0].secret or a\\.b');

const ruleSchema = z.strictObject({
  request: z
    .strictObject({
      headers: names(headerName),
      headers_except: names(headerName),
      url_query: names(parameterName),
      url_query_except: names(parameterName),
    })
    .optional(),
  response: z
    .strictObject({
      headers: names(headerName),
      headers_except: names(headerName),
      json_body: names(jsonPath),
      json_body_except: names(jsonPath),
    })
    .optional(),
});

export type RedactionRule = z.output<typeof ruleSchema>;

/**
 * The `redaction` member of a prove request: rules that accumulate. A denylist and an allowlist for one field are refused,
 * also when they are in different rules.
 */
export const redactionSchema = z
  .array(ruleSchema)
  .max(MAX_RULES)
  .superRefine((rules, context) => {
    for (const field of ['json_body', 'json_body_except']) {
      const paths = listed(rules, 'response', field).flat().map(parseJsonPath);
      if (paths.reduce((sum, path) => sum + (path === null ? 0 : countWildcards(path)), 0) > MAX_WILDCARDS) {
        context.addIssue(
          `at most ${MAX_WILDCARDS} wildcards and numbers between dots are accepted in all paths of response.${field}: leave out those that stand for every element of an array, which is passed through anyway`,
        );
      }
    }
    for (const { side, field } of REDACTABLE) {
      const total = [...listed(rules, side, field), ...listed(rules, side, `${field}_except`)].flat().length;
      if (total > MAX_NAMES) context.addIssue(`at most ${MAX_NAMES} names are accepted for ${side}.${field}`);
      if (listed(rules, side, field).length > 0 && listed(rules, side, `${field}_except`).length > 0) {
        context.addIssue(
          `${side}.${field} and ${side}.${field}_except exclude each other: name what to hide or what to show, not both`,
        );
      }
    }
  });

/** The four fields that can be redacted; each has an allowlist counterpart with `_except` behind its name. */
const REDACTABLE = [
  { side: 'request', field: 'headers' },
  { side: 'request', field: 'url_query' },
  { side: 'response', field: 'headers' },
  { side: 'response', field: 'json_body' },
] as const;

/** The lists of this name in all rules; a list that is present but empty counts as named. */
function listed(rules: readonly RedactionRule[], side: 'request' | 'response', field: string): string[][] {
  return rules.flatMap((rule) => {
    const lists: Record<string, string[] | undefined> = rule[side] ?? {};
    const list = lists[field];
    return list === undefined ? [] : [list];
  });
}

/** What to hide of one field: nothing, the named items, or all but the named items. */
export interface Selection {
  readonly kind: 'none' | 'deny' | 'except';
  readonly names: readonly string[];
}

/** Whether a selection hides an item that it names, or does not. */
export function hides({ kind }: Selection, isNamed: boolean): boolean {
  return kind !== 'none' && isNamed === (kind === 'deny');
}

export interface RedactionPolicy {
  readonly requestHeaders: Selection;
  readonly urlQuery: Selection;
  readonly responseHeaders: Selection;
  readonly jsonBody: Selection;
  /** Hide no boolean, null, or value of fewer than 8 bytes: refuse the proof instead. */
  readonly refuseShortValues: boolean;
}

/** Accumulates rules that `redactionSchema` has accepted. */
export function redactionPolicy(rules: readonly RedactionRule[], refuseShortValues = false): RedactionPolicy {
  const select = (side: 'request' | 'response', field: string): Selection => {
    const denied = listed(rules, side, field);
    const excepted = listed(rules, side, `${field}_except`);
    if (excepted.length > 0) return { kind: 'except', names: excepted.flat() };
    return { kind: denied.length > 0 ? 'deny' : 'none', names: denied.flat() };
  };
  return {
    requestHeaders: select('request', 'headers'),
    urlQuery: select('request', 'url_query'),
    responseHeaders: select('response', 'headers'),
    jsonBody: select('response', 'json_body'),
    refuseShortValues,
  };
}

/** True when anything of the request is asked to be hidden. */
export function redactsRequest(policy: RedactionPolicy): boolean {
  return policy.requestHeaders.kind !== 'none' || policy.urlQuery.kind !== 'none';
}
