/** The OpenAPI 3.1 document, made from the route table and nothing else. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERROR_CATALOGUE, type ErrorCode } from '../../core/errors.ts';
import { API_VERSION } from './error-reply.ts';
import type { Dialect, Route } from './route.ts';

const errorCode = z.enum(Object.keys(ERROR_CATALOGUE) as [ErrorCode, ...ErrorCode[]]);

/** The body of every failure, by dialect. */
export const errorSchemas: Record<Dialect, z.ZodType> = {
  engagement: z
    .object({
      error: z.object({
        code: errorCode,
        message: z.string(),
        details: z.record(z.string(), z.unknown()).optional(),
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

export interface OpenApiInfo {
  readonly version: string;
  readonly serverUrl?: string;
  readonly webhooks?: Record<string, { post: ZodOpenApiOperationObject }>;
}

/** Codes that a row can answer with: its own, and those that follow from access, schemas, body and limits. */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  const invalid = route.invalidCode ?? 'INVALID_REQUEST';
  if (route.params || route.query || route.body) codes.add(invalid);
  if (route.params) codes.add('INVALID_REQUEST').add('NOT_FOUND');
  if (route.body || route.rawBody) codes.add('INVALID_REQUEST').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (route.access !== 'public') codes.add('UNAUTHORIZED');
  if ((route.dialect ?? 'engagement') === 'engagement') {
    if (route.access === 'admin' || route.access === 'client') codes.add('FORBIDDEN');
    codes.add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE');
  } else {
    codes.add('INTERNAL_SERVER_ERROR');
  }
  if (route.limits) codes.add('SCRAPING_RATE_LIMITED');
  return [...codes];
}

/** Builds the document. */
export function createOpenApiDocument(routes: readonly Route[], info: OpenApiInfo): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Credence',
      version: info.version,
      description: 'Verification of social engagement, and web proofs.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(info.serverUrl ? { servers: [{ url: info.serverUrl }] } : {}),
    security: [{ bearer: [] }],
    paths,
    ...(info.webhooks ? { webhooks: info.webhooks } : {}),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API token of Credence.' } },
    },
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const anonymous = route.access === 'public' || route.access === 'callback';
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [route.tag],
    ...(anonymous ? { security: [] } : {}),
    requestParams: {
      ...(route.params ? { path: route.params as z.ZodObject } : {}),
      ...(route.query ? { query: route.query as z.ZodObject } : {}),
    },
    ...(route.body
      ? {
          requestBody: {
            required: route.bodyOptional !== true,
            content: {
              [route.form ? 'application/x-www-form-urlencoded' : 'application/json']: { schema: route.body },
            },
          },
        }
      : {}),
    responses: { ...successResponses(route), ...errorResponses(route) },
  };
}

function successResponses(route: Route): ZodOpenApiOperationObject['responses'] {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, { description, schema, example }]) => [
      status,
      schema
        ? { description, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } }
        : { description },
    ]),
  );
}

function errorResponses(route: Route): ZodOpenApiOperationObject['responses'] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(route)) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = errorSchemas[route.dialect ?? 'engagement'];
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .filter(([status]) => !(status in route.responses))
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].description}`).join('\n\n'),
          content: { 'application/json': { schema } },
        },
      ]),
  );
}
