/** Which failures a row of the route table can answer with, how they look, and how the OpenAPI document tells of them. */
import { z } from 'zod';
import type { ZodOpenApiComponentsObject, ZodOpenApiOperationObject } from 'zod-openapi';
import { DomainError, ERROR_CATALOGUE, type ErrorCode } from '../../core/errors.ts';
import { API_VERSION, errorReply } from './error-reply.ts';
import { takesIdempotencyKey } from './idempotency-key.ts';
import { failureHeaders } from './response-headers.ts';
import type { Dialect, Route } from './route.ts';

const ALL_CODES = Object.keys(ERROR_CATALOGUE) as [ErrorCode, ...ErrorCode[]];
const errorCode = z.enum(ALL_CODES).meta({ description: 'Rely on this; the message may change.' });

/** How a refusal looks in each dialect. */
export const errorSchemas: Readonly<Record<Dialect, z.ZodType>> = {
  engagement: z
    .object({
      error: z.object({
        code: errorCode,
        message: z.string(),
        details: z
          .record(z.string(), z.unknown())
          .optional()
          .meta({ description: 'Facts for a program, such as the `issues` of a body that fails its schema.' }),
        requestId: z.string(),
      }),
    })
    .meta({ id: 'Error' }),
  v2: z
    .object({
      apiVersion: z.literal(API_VERSION),
      success: z.literal(false),
      error: z.object({ code: errorCode, message: z.string() }),
    })
    .meta({ id: 'ErrorV2' }),
  v1: z.object({ success: z.literal(false), error: z.string() }).meta({ id: 'ErrorV1' }),
};

/** Codes that a row can answer with: its own, and those that follow from access, schemas, body and limits. */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  const invalid = route.invalidCode ?? 'INVALID_REQUEST';
  if (route.query || route.body) codes.add(invalid);
  if (route.params) codes.add('INVALID_REQUEST').add('NOT_FOUND');
  if (route.body) codes.add(invalid).add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  // A callback checks its caller itself, and names its refusals.
  if (route.access !== 'public' && route.access !== 'callback') {
    codes.add('UNAUTHORIZED');
    if (route.unmetered !== true) codes.add('QUOTA_EXCEEDED');
  }
  const engagement = (route.dialect ?? 'engagement') === 'engagement';
  if (engagement && (route.access === 'admin' || route.access === 'client')) codes.add('FORBIDDEN');
  codes.add(engagement ? 'INTERNAL_ERROR' : 'INTERNAL_SERVER_ERROR');
  if (route.access !== 'public') codes.add('SERVICE_UNAVAILABLE');
  if (route.limits) codes.add('SCRAPING_RATE_LIMITED');
  if (takesIdempotencyKey(route)) {
    codes.add(invalid).add('IDEMPOTENCY_KEY_IN_USE').add('IDEMPOTENCY_KEY_REUSED');
  }
  return [...codes];
}

/** The failures of a row by status; a status that the row describes itself is left to `ownResponses` to merge. */
export function errorResponses(route: Route): ZodOpenApiOperationObject['responses'] {
  const dialect = route.dialect ?? 'engagement';
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERROR_CATALOGUE[code].status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].description}`).join('\n\n'),
          headers: failureHeaders(status, route),
          content: {
            'application/json': {
              schema: errorSchemas[dialect],
              examples: Object.fromEntries(
                codes.map((code) => [code, { $ref: `#/components/examples/${exampleName(code, dialect)}` }]),
              ),
            },
          },
        },
      ]),
  );
}

/** One example a code and dialect, as `errorResponses` refers to them. */
export function errorExamples(routes: readonly Route[]): NonNullable<ZodOpenApiComponentsObject['examples']> {
  const examples: NonNullable<ZodOpenApiComponentsObject['examples']> = {};
  for (const route of routes) {
    const dialect = route.dialect ?? 'engagement';
    for (const code of errorCodesOf(route)) {
      const { description } = ERROR_CATALOGUE[code];
      examples[exampleName(code, dialect)] = {
        summary: description,
        value: errorReply(new DomainError(code, description), dialect, '3f2b6c1e-8d0a-4c55-9a37-0d5f1f6f6a10').body,
      };
    }
  }
  return examples;
}

function exampleName(code: ErrorCode, dialect: Dialect): string {
  return dialect === 'engagement' ? code : `${dialect}.${code}`;
}
