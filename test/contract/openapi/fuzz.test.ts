/**
 * Every operation of the document that a host serves, asked in documented and in spoilt ways. It answers with documented
 * statuses, codes and bodies only, and never fails unexpectedly.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../support/client.ts';
import { HOST_KINDS } from '../../support/hosts.ts';
import { type ExampleWorld, startExampleWorld } from './example-world.ts';
import { documentedRequest, type FuzzRequest, spoiltRequest } from './requests.ts';
import { type JsonSchema, type Operation, readDocument, type ServedDocument } from './served-document.ts';

/** Each operation is asked in documented ways on one host and in spoilt ways on the other. The parity test compares the hosts. */
const TURNS = { fastify: 0, express: 1 } as const;
const SEEDS = { fastify: 20_261_121, express: 20_261_122 } as const;
const DOCUMENTED_RUNS = 2;
const SPOILT_RUNS = 3;

/** Both hosts serve one document, whose schemas are compiled once. */
let read: { readonly text: string; readonly document: ServedDocument } | undefined;

/** No example can succeed: one is signed by its sender, the others are reserved. */
/** Signed by others. */
const SIGNED = ['webProofCallback', 'takeInstagramPush'];
const NEVER_SUCCEED = [...SIGNED, 'answerInstagramChallenge', 'verifyZkProof', 'verifyZkProofFake'];

// Seconds on an idle machine; the limit is for busy ones.
describe.each(HOST_KINDS)('the OpenAPI document on %s', { timeout: 300_000 }, (host) => {
  let world: ExampleWorld;
  let document: ServedDocument;

  beforeAll(async () => {
    world = await startExampleWorld(host);
    const { text } = await world.instance.api.call('GET', '/openapi.json');
    if (text !== read?.text) read = { text, document: readDocument(JSON.parse(text)) };
    document = read.document;
  });
  afterAll(() => world?.close());

  async function send(operation: Operation, request: FuzzRequest): Promise<ApiAnswer> {
    const path = operation.path.replaceAll(
      /\{(\w+)\}/g,
      (_placeholder, name: string) => request.rawPath?.[name] ?? encodeURIComponent(request.path[name] ?? ''),
    );
    const query = request.query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    const body = operation.method === 'get' ? undefined : request.body;
    const contentType = request.contentType ?? (body === undefined ? undefined : 'text/plain');
    const search = query.length === 0 ? '' : `?${query.join('&')}`;
    return world.instance.api.call(operation.method.toUpperCase(), path + search, {
      token: world.tokens[request.who],
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
      ...(body === undefined ? {} : { raw: body }),
    });
  }

  /** Sends, and holds the answer to the document. */
  async function exchange(operation: Operation, request: FuzzRequest): Promise<{ status: number; text: string }> {
    const response = await send(operation, request);
    const { text } = response;
    const said = `${operation.id} answered ${response.status}: ${text.slice(0, 600)}`;
    const documented = operation.responses[String(response.status)];
    expect(documented, `${said}\nnot documented`).toBeDefined();
    for (const name of Object.keys(documented?.headers ?? {})) {
      // Other headers of failures depend on what failed.
      if (name === 'x-request-id') expect(response.headers.get(name), said).toBeTruthy();
    }
    const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
    expect(Object.keys(documented?.content ?? {}), said).toContain(mediaType);
    if (mediaType === 'application/json') {
      const validate = document.responseValidator(operation, String(response.status));
      validate(JSON.parse(text));
      expect(validate.errors ?? [], said).toEqual([]);
      const code: unknown = JSON.parse(text).error?.code;
      const codes = Object.keys(documented?.content?.['application/json']?.examples ?? {});
      if (code !== undefined) expect(codes, said).toContain(code);
    }
    if (response.status === 429) expect(response.headers.get('retry-after'), said).toMatch(/^[1-9][0-9]*$/);
    expect(text, said).not.toContain('Something unexpected failed');
    expect(response.status, said).not.toBe(503);
    return { status: response.status, text };
  }

  function exampleRequest(operation: Operation): FuzzRequest {
    const fixed = world.succeedsWith[operation.id] ?? {};
    const valueFor = (name: string, example: unknown) => fixed[name] ?? world.known[name]?.[0] ?? example;
    const parameters = (where: string) =>
      operation.parameters
        .filter((parameter) => parameter.in === where && (where === 'path' || parameter.required))
        .map(({ name, example, schema }) => [name, String(valueFor(name, example ?? schema.example))] as const);
    const media = operation.body?.content['application/json'];
    const schema: JsonSchema = media ? document.resolve(media.schema) : {};
    const body = withKnown(media?.example ?? schema.example, (name, value) =>
      name in fixed || /^(brandId|presentation|webProof|data)$/.test(name) ? valueFor(name, value) : value,
    );
    return {
      who: 'admin',
      path: Object.fromEntries(parameters('path')),
      query: operation.id === 'listSocialAccounts' ? [['externalId', 'user-42']] : parameters('query'),
      ...(media && body !== undefined
        ? { body: JSON.stringify(adminBody(operation, body)), contentType: 'application/json' }
        : {}),
    };
  }

  // On one host: `test/parity` shows that both answer the same.
  const onOneHost = host === 'fastify' ? it : () => {};
  onOneHost('succeeds with the examples of every operation', async () => {
    // What removes or ends something comes last.
    const rank = ({ method, id }: Operation) => (method === 'delete' || id === 'disconnectCreator' ? 1 : 0);
    const operations = document.operations.filter(({ id }) => !NEVER_SUCCEED.includes(id));
    const failed: string[] = [];
    for (const operation of operations.toSorted((a, b) => rank(a) - rank(b))) {
      const { status, text } = await exchange(operation, exampleRequest(operation));
      if (status >= 300) failed.push(`${operation.id}: ${status} ${text}`);
    }
    expect(failed).toEqual([]);
  });

  onOneHost('refuses callers without a token, and only where the document asks for one', async () => {
    for (const operation of document.operations) {
      for (const who of ['nobody', 'unknown'] as const) {
        const { status } = await exchange(operation, { ...exampleRequest(operation), who });
        if (operation.isPublic) expect(status, operation.id).not.toBe(SIGNED.includes(operation.id) ? 403 : 401);
        else expect(status, operation.id).toBe(401);
      }
    }
  });

  const everySecond = (turn: number) => document.operations.filter((_, index) => index % 2 === turn);

  it('answers documented requests as documented', async () => {
    for (const operation of everySecond(TURNS[host])) {
      await fc.assert(
        fc.asyncProperty(documentedRequest(document, operation, world.known), async (request) => {
          await exchange(operation, request);
        }),
        { seed: SEEDS[host], numRuns: DOCUMENTED_RUNS },
      );
    }
  });

  it('answers spoilt requests as documented', async () => {
    for (const operation of everySecond(1 - TURNS[host])) {
      await fc.assert(
        fc.asyncProperty(spoiltRequest(document, operation, world.known), async (request) => {
          await exchange(operation, request);
        }),
        { seed: SEEDS[host], numRuns: SPOILT_RUNS },
      );
    }
  });
});

/** An admin has to say whose account it is about; a creator's example does not. */
function adminBody({ id }: Operation, body: unknown): unknown {
  return id === 'connectSocialAccount' ? { ...(body as object), externalId: 'user-42' } : body;
}

/** A copy of the example with fields exchanged for what exists here. */
function withKnown(value: unknown, exchangeFor: (name: string, value: unknown) => unknown, name = ''): unknown {
  const known = exchangeFor(name, value);
  if (known !== value || typeof value !== 'object' || value === null) return known;
  if (Array.isArray(value)) return value.map((item) => withKnown(item, exchangeFor));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withKnown(inner, exchangeFor, key)]));
}
