/** Runs a row of the route table in the same process, without HTTP. */
import { z } from 'zod';
import type { Audit } from '../../core/access/audit.ts';
import { type Caller, isCaller } from '../../core/access/token.ts';
import type { RequireOwn } from '../../core/engagement/brands/own-brand.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { aboutUnknown } from '../../core/plain-issue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { warningsOf } from '../client/warnings.ts';
import { checkAccess } from './access.ts';
import { audited } from './audit.ts';
import { checkBrandAccess, ownsNothing } from './brand-access.ts';
import { projectionOf } from './encode-reply.ts';
import { asDomainError } from './error-reply.ts';
import { parseInput } from './parse-input.ts';
import type { Reply, Route } from './route.ts';
import { suggestionsFor } from './suggestions.ts';

/** Who calls, and how long for. */
export interface CallOptions {
  /**
   * Whose call this is: its role must be enough for the operation, as over HTTP. A creator sees its own attempt and accounts, usage
   * is counted per caller.
   * @default an admin
   */
  readonly caller?: Caller;
  /** Ends the call's waiting for platforms and notaries. */
  readonly signal?: AbortSignal;
}

/** What a call needs of its instance. */
export interface CallDeps {
  /** For links in results: the public URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Keeps callers of one brand to what is theirs. */
  readonly requireOwn?: RequireOwn;
  /** Records what administrators do. */
  readonly audit?: Audit | undefined;
  /** Gets the warnings of results: over HTTP a client shows them. */
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

const IN_PROCESS: Caller = { role: 'admin', tokenId: null, externalId: null, key: 'in-process' };

/**
 * Calls a row with the fields of its path, query and body in one object. They pass the same schemas as over HTTP. The host is
 * trusted: no token, no rate limit, no limit on the size of a body. A caller that it names may do what it may do over HTTP.
 * @throws DomainError with the codes that the row documents
 */
export async function callRoute(
  route: Route,
  input: unknown,
  options: CallOptions,
  { baseUrl, requireOwn = ownsNothing, audit, logger }: CallDeps,
): Promise<unknown> {
  checkOptions(options);
  const { caller = IN_PROCESS, signal = new AbortController().signal } = options;
  // As over HTTP, where public rows know no caller. Without the option, the host itself calls.
  const needsCaller = route.access !== 'public' && route.access !== 'callback';
  if (options.caller !== undefined && (needsCaller || caller !== null)) checkCaller(caller);
  if (options.caller !== undefined && needsCaller) checkAccess(caller, route);
  const fields = { ...(input as Record<string, unknown> | undefined) };
  const params = parseInput(route.params, texts(fields, route.params), null);
  const query = parseInput(route.query, texts(fields, route.query, route.invalidCode), null, route.invalidCode);
  const given = route.bodyOptional && Object.keys(fields).length === 0 ? undefined : fields;
  if (route.body === undefined) refuseFields(fields, route);
  const body = given === undefined ? undefined : parseInput(route.body, given, null, route.invalidCode);
  try {
    const called = {
      params,
      query,
      body,
      rawBody: null,
      caller,
      signal,
      baseUrl,
      requestId: crypto.randomUUID(),
      ip: '',
      hold: () => undefined,
      header: () => undefined,
    };
    await checkBrandAccess(route, called, requireOwn);
    const reply = await audited(route, called, audit, () => route.handle(called));
    const schema = route.responses[reply.status]?.schema;
    if (reply.rows !== undefined) return await allOf(reply.rows, schema);
    const answer = schema === undefined ? reply.body : projectionOf(schema)(reply.body);
    for (const warning of warningsOf(answer)) logger?.warn({ operation: route.id }, warning);
    return unwrapped(answer, schema);
  } catch (error) {
    throw asDomainError(error, 'engagement');
  }
}

const OPTIONS: readonly string[] = ['caller', 'signal'] satisfies (keyof CallOptions)[];

/** A caller that is passed wrongly would be forgotten, and the host itself would call. @throws DomainError `INVALID_REQUEST` */
function checkOptions(options: unknown): void {
  const isObject = typeof options === 'object' && options !== null;
  const unknown = isObject ? Object.keys(options).find((name) => !OPTIONS.includes(name)) : undefined;
  if (isObject && unknown === undefined) return;
  const found = isObject ? `"${unknown}" is unknown` : 'they must be an object';
  throw new DomainError('INVALID_REQUEST', `Invalid options of the call: ${found}. Pass { caller, signal }.`);
}

/** @throws DomainError `UNAUTHORIZED` */
function checkCaller(caller: unknown): void {
  if (isCaller(caller)) return;
  throw new DomainError(
    'UNAUTHORIZED',
    caller === null
      ? 'The `caller` is null: look up who is calling first.'
      : "The `caller` is none. It must be { role, key, … }, a creator's with its externalId, and ids must be positive integers.",
  );
}

/** The rows of a list in one array, converted piece by piece. */
async function allOf(rows: NonNullable<Reply['rows']>, schema: z.ZodType | undefined): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const data of rows) {
    const converted = schema === undefined ? { data } : projectionOf(schema)({ data });
    for (const row of (converted as { readonly data: readonly unknown[] }).data) all.push(row);
  }
  return all;
}

/** @throws DomainError naming fields that no part of the row has: one that does nothing would be believed */
function refuseFields(fields: Record<string, unknown>, { params, query, invalidCode }: Route): void {
  const unknown = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (unknown.length === 0) return;
  const known = [params, query].flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
  const told = aboutUnknown(unknown) + suggestionsFor(unknown.slice(0, 1), known);
  throw new DomainError(invalidCode ?? 'INVALID_REQUEST', `Invalid request: the input: ${told}`, {
    details: { issues: [{ path: 'the input', message: told }] },
  });
}

/** Takes the fields of a path or a query out of `fields`, as the text that they are on the wire. */
function texts(
  fields: Record<string, unknown>,
  schema: z.ZodType | undefined,
  code?: ErrorCode,
): Record<string, string> {
  const taken: Record<string, string> = {};
  if (!(schema instanceof z.ZodObject)) return taken;
  for (const name of Object.keys(schema.shape)) {
    const value = fields[name];
    delete fields[name];
    if (value !== undefined && value !== null) taken[name] = textOf(name, value, code);
  }
  return taken;
}

/** @throws DomainError with `code` for what has no text that a schema could be held against */
function textOf(name: string, value: unknown, code: ErrorCode = 'INVALID_REQUEST'): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => textOf(name, each, code)).join();
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
  const message = 'must be text, a number, true or false, or a valid date';
  throw new DomainError(code, `Invalid request: ${name}: ${message}`, {
    details: { issues: [{ path: name, message }] },
  });
}

/** What may have a warning beside `data` keeps its form when it has none, as the types say. */
function unwrapped(body: unknown, schema: z.ZodType | undefined): unknown {
  if (typeof body !== 'object' || body === null || !('data' in body)) return body;
  const { apiVersion, success, ...rest } = body as Record<string, unknown>;
  const mayWarn = schema instanceof z.ZodObject && 'warning' in schema.shape;
  return Object.keys(rest).length === 1 && !mayWarn ? rest.data : rest;
}
