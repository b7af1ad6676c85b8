/** The OpenAPI 3.1 document, made from the route table and nothing else. */
import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { errorExamples, errorResponses } from './error-codes.ts';
import { exampleOf } from './examples/example-of.ts';
import { REQUEST_EXAMPLES } from './examples/index.ts';
import { PARAMETERS } from './examples/values.ts';
import { idempotencyHeader, takesIdempotencyKey } from './idempotency-key.ts';
import { DESCRIPTION, tagsFor } from './openapi-overview.ts';
import { headerComponents, successHeaders } from './response-headers.ts';
import { type Access, PAGES, type ResponseDoc, type Route } from './route.ts';
import { platformName } from './schemas.ts';

export { errorCodesOf, errorSchemas } from './error-codes.ts';

export interface OpenApiInfo {
  readonly version: string;
  readonly serverUrl?: string;
  /** The names of the registered platforms, which responses may have. */
  readonly platforms?: readonly string[];
  readonly webhooks?: Record<string, { post: ZodOpenApiOperationObject }>;
}

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** Builds the document. */
export function createOpenApiDocument(table: readonly Route[], info: OpenApiInfo): OpenApiDocument {
  const routes = table.filter(({ tag }) => tag !== PAGES);
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const webhooks = info.webhooks ?? {};
  const used = [...routes.map(({ tag }) => tag), ...Object.values(webhooks).flatMap(({ post }) => post.tags ?? [])];
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Credence',
        version: info.version,
        description: DESCRIPTION,
        contact: { name: 'The operator of this instance' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      ...(info.serverUrl ? { servers: [{ url: info.serverUrl }] } : {}),
      tags: tagsFor(new Set(used)),
      security: [{ bearer: [] }],
      paths,
      ...(info.webhooks ? { webhooks } : {}),
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API token of Credence.' } },
        headers: headerComponents(paths),
        examples: errorExamples(routes),
      },
    },
    {
      override: (context) => {
        tidy(context);
        if (context.zodSchema === platformName && info.platforms) context.jsonSchema.enum = [...info.platforms];
      },
    },
  );
  addParameterExamples(document);
  return document;
}

/**
 * Leaves out what says nothing to a reader: the bounds of safe integers, patterns that repeat a format. Also leaves out what
 * would mislead authors of clients. They must expect further fields in answers, and OpenAPI knows only discriminators that are
 * texts.
 */
const tidy: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, zodSchema, io }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (zodSchema instanceof z.ZodDiscriminatedUnion) {
    const values = zodSchema._zod.propValues[zodSchema._zod.def.discriminator] ?? [];
    if ([...values].some((value) => typeof value !== 'string')) delete jsonSchema.discriminator;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'email') delete jsonSchema.pattern;
};

/** As Scalar understands it. */
const NOT_SENT = { 'x-disabled': true };

/** Readers of the document send what they find when an operation is tried: what is optional, only if somebody asks for it. */
function addParameterExamples(document: OpenApiDocument): void {
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of [item.get, item.post, item.patch, item.delete]) {
      for (const parameter of operation?.parameters ?? []) {
        if ('$ref' in parameter) continue;
        const { name, required = false, example = PARAMETERS[name] } = parameter;
        delete parameter.example;
        if (!required)
          parameter.examples = { default: { ...(example === undefined ? {} : { value: example }), ...NOT_SENT } };
        else if (example !== undefined) parameter.example = example;
      }
    }
  }
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const anonymous = route.access === 'public' || route.access === 'callback';
  return {
    operationId: route.id,
    summary: route.summary,
    ...describe(route),
    tags: [route.tag],
    ...(anonymous ? { security: [] } : {}),
    ...(route.access === 'anyone' ? { security: [{}, { bearer: [] }] } : {}),
    requestParams: {
      ...(route.params ? { path: route.params } : {}),
      ...(route.query ? { query: route.query } : {}),
      ...(takesIdempotencyKey(route) ? { header: idempotencyHeader } : {}),
    } as NonNullable<ZodOpenApiOperationObject['requestParams']>,
    ...(route.body ? { requestBody: requestBodyOf(route) } : {}),
    responses: responsesOf(route),
  };
}

const ACCESS: Readonly<Record<Access, string>> = {
  admin: 'Role: `admin`.',
  client: 'Role: `client` or `admin`.',
  token: 'Any token.',
  anyone: 'Any token, or none.',
  public: '',
  callback: '',
};

/** What role `brand` may do on a row. */
function brandNote({ access, brand = 'none' }: Route): string {
  if (access === 'public' || access === 'callback') return '';
  if (brand === 'none') return access === 'token' ? 'Not for role `brand`.' : '';
  return brand === 'any'
    ? 'Role `brand` too.'
    : 'Role `brand` too, for what belongs to its brand: the rest is missing for it.';
}

/** OpenAPI has no word for the roles of bearer tokens, so the text says which one is needed. */
function describe(route: Route): { description?: string } {
  const { description = '', access, dialect } = route;
  const isEngagement = dialect === undefined || dialect === 'engagement';
  const needed = isEngagement ? `${ACCESS[access]} ${brandNote(route)}`.trim() : '';
  const text = [description, needed].filter((part) => part !== '').join('\n\n');
  return text === '' ? {} : { description: text };
}

function requestBodyOf(route: Route): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  const request = REQUEST_EXAMPLES[route.id];
  const content = { schema: route.body, ...(request === undefined ? {} : { example: request }) };
  return {
    required: route.bodyOptional !== true,
    content: { 'application/json': content },
  } as NonNullable<ZodOpenApiOperationObject['requestBody']>;
}

/** The row's own responses and its failures. */
function responsesOf(route: Route): ZodOpenApiOperationObject['responses'] {
  const own = Object.entries(route.responses).map(([status, doc]) => [status, ownResponse(route, doc)]);
  return { ...errorResponses(route), ...Object.fromEntries(own) };
}

function ownResponse(route: Route, doc: ResponseDoc): ZodOpenApiResponseObject {
  const { description, schema, contentType = schema ? 'application/json' : undefined } = doc;
  const example = doc.example ?? (schema && exampleOf(schema, route.id));
  const media = { schema: schema ?? { type: 'string' as const }, ...(example === undefined ? {} : { example }) };
  return {
    description,
    headers: successHeaders(route),
    ...(contentType === undefined ? {} : { content: { [contentType]: media } }),
  };
}
