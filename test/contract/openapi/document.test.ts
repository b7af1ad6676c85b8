/** The document as a whole: valid OpenAPI 3.1, complete, and its examples true. */

import { credenceConsole } from '@credence/console';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { REQUEST_EXAMPLES } from '../../../plugins/http/examples/index.ts';
import type { OpenApiDocument } from '../../../plugins/http/openapi.ts';
import { PAGES, type Route, type RouteInput } from '../../../plugins/http/route.ts';
import { WEBHOOK_BODIES } from '../../../plugins/http/webhook-events.ts';
import { type JsonSchema, type Operation, readDocument } from './served-document.ts';

const { routes } = createCredence({
  services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
  secrets: { key: new Uint8Array(32) },
  notary: { key: { secret: new Uint8Array(32).fill(7) } },
  zkProver: fakeProver(),
  plugins: [credenceConsole()],
});
const served = await read();
const { operations, resolve, responseValidator, bodyValidator } = readDocument(served);

async function read(): Promise<OpenApiDocument> {
  const row = routes.find(({ id }) => id === 'openapi') as Route;
  const reply = await row.handle({ baseUrl: 'http://localhost/mount' } as RouteInput<never, never, never>);
  return JSON.parse(String(reply.body));
}

function rowOf(id: string): Route {
  return routes.find((route) => route.id === id) as Route;
}

const jsonSuccesses = operations.flatMap((operation) =>
  Object.entries(operation.responses)
    .filter(([status, { content }]) => status in rowOf(operation.id).responses && content?.['application/json'])
    .filter(() => operation.id !== 'openapi')
    .map(([status]) => ({ operation, status, name: `${operation.id} ${status}` })),
);

/** Made by software of others, taken as they come: v1 differs from v2 so, and callbacks pass on what they got. */
const OF_OTHERS = /^(?:verifyV1|webProofCallback|takeInstagramPush)\b/;

/** Where a body may hold fields that are not named. Records say so themselves. */
function openObjects(schema: JsonSchema, at: string): string[] {
  const found = resolve(schema) as JsonSchema & Readonly<Record<string, unknown>>;
  const isOpen = found.type === 'object' && found.properties !== undefined && found.additionalProperties === undefined;
  const parts = Object.entries((found.properties ?? {}) as Record<string, JsonSchema>);
  const others = ['items', 'anyOf', 'oneOf', 'allOf'].flatMap((name) => [found[name] ?? []].flat() as JsonSchema[]);
  return [
    ...(isOpen ? [at] : []),
    ...parts.flatMap(([name, part]) => openObjects(part, `${at}.${name}`)),
    ...others.flatMap((part) => openObjects(part, at)),
  ];
}

describe('the OpenAPI document', () => {
  it('lets no body have unknown fields, but for proofs of other makers', () => {
    const open = operations.flatMap(({ id, body }) => {
      const schema = body?.content['application/json']?.schema;
      return schema === undefined ? [] : openObjects(schema, id);
    });
    expect(open.filter((at) => !OF_OTHERS.test(at))).toEqual([]);
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...structuredClone(served) });
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('says where this mount is, unless a URL is configured', async () => {
    expect(served.servers).toEqual([{ url: 'http://localhost/mount' }]);
    const configured = createCredence({ publicUrl: 'https://api.example.com', secrets: { key: new Uint8Array(32) } });
    const row = configured.routes.find(({ id }) => id === 'openapi') as Route;
    const reply = await row.handle({ baseUrl: 'http://localhost' } as RouteInput<never, never, never>);
    expect(JSON.parse(String(reply.body)).servers).toEqual([{ url: 'https://api.example.com' }]);
  });

  it('has every row of the table but those that browsers load, each under a name of its own', () => {
    const rows = routes.filter(({ tag }) => tag !== PAGES).map(({ id }) => id);
    expect(operations.map(({ id }) => id).toSorted()).toEqual(rows.toSorted());
    const types = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content = {} }) => Object.keys(content)),
    );
    expect(new Set(types)).toEqual(new Set(['application/json', 'text/plain']));
  });

  it('refers to nothing that it does not have', () => {
    for (const [, pointer = ''] of JSON.stringify(served).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer.split('/').reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], served);
      expect(target, pointer).toBeDefined();
    }
  });

  it('leaves room for further fields in answers, and refuses them in strict requests', () => {
    const { components } = served as { components: { schemas: Record<string, object> } };
    const closed = Object.entries(components.schemas).filter(([, schema]) =>
      /"additionalProperties":false/.test(JSON.stringify(schema)),
    );
    expect(closed.map(([name]) => name)).toEqual([]);
    for (const { id, responses } of operations) {
      expect(JSON.stringify(responses), id).not.toContain('"additionalProperties":false');
    }
    expect(JSON.stringify(operations.find(({ id }) => id === 'prove')?.body)).toContain('"additionalProperties":false');
  });

  it('is held to what it names all the same: these tests refuse an answer with a field that it does not have', () => {
    const operation = jsonSuccesses.find(({ name }) => name === 'listCampaigns 200')?.operation as Operation;
    const validate = responseValidator(operation, '200');
    const example = operation.responses['200']?.content?.['application/json']?.example as { data: object[] };
    expect(validate({ ...example, data: [{ ...example.data[0], surprise: 1 }] })).toBe(false);
    expect(validate.errors).toMatchObject([
      { keyword: 'additionalProperties', params: { additionalProperty: 'surprise' } },
    ]);
  });

  it('tells the two kinds of a batch item apart by a boolean, without a discriminator that makes a text of it', () => {
    const { items } = resolve({ $ref: '#/components/schemas/BatchResult' }).properties?.results ?? {};
    expect(items).toEqual({
      type: 'object',
      oneOf: [{ $ref: '#/components/schemas/BatchSuccess' }, { $ref: '#/components/schemas/BatchFailure' }],
    });
    expect(resolve({ $ref: '#/components/schemas/BatchFailure' }).properties?.ok).toEqual({
      type: 'boolean',
      const: false,
    });
  });

  it('describes every tag', () => {
    const used = new Set(operations.map(({ id }) => rowOf(id).tag)).add('Events');
    expect(served.tags?.map(({ name }) => name).toSorted()).toEqual([...used].toSorted());
    for (const { name, description } of served.tags ?? []) expect(description, name).toBeTruthy();
  });

  it.each(jsonSuccesses)('shows an example of $name that fits', ({ operation, status }) => {
    const media = operation.responses[status]?.content?.['application/json'];
    const example = media?.example;
    expect(example).toBeDefined();
    const validate = responseValidator(operation, status);
    validate(example);
    expect(validate.errors ?? []).toEqual([]);
    const schema = rowOf(operation.id).responses[Number(status)]?.schema;
    expect(schema?.safeParse(example).error).toBeUndefined();
  });

  it.each(operations.filter(({ body }) => body?.content['application/json'] !== undefined))(
    'shows a request of $id that fits',
    (operation) => {
      const media = operation.body?.content['application/json'];
      const example = media?.example ?? resolve(media?.schema as JsonSchema).example;
      expect(example).toBeDefined();
      const validate = bodyValidator(operation, 'application/json');
      validate(example);
      expect(validate.errors ?? []).toEqual([]);
      expect(rowOf(operation.id).body?.safeParse(example).error).toBeUndefined();
    },
  );

  it('lets readers that try an operation send no optional parameter by themselves', () => {
    const optional = operations.flatMap(({ parameters }) => parameters.filter(({ required }) => required !== true));
    expect(optional.length).toBeGreaterThan(50);
    for (const parameter of optional) {
      expect(parameter).toMatchObject({ examples: { default: { 'x-disabled': true } } });
      expect(parameter).not.toHaveProperty('example');
    }
  });

  it('keeps no example of an operation that is gone', () => {
    expect(Object.keys(REQUEST_EXAMPLES).filter((id) => !routes.some((route) => route.id === id))).toEqual([]);
  });

  it('tells each failure with its code, headers and an example', () => {
    const failures = operations.flatMap(({ id, responses }) =>
      Object.entries(responses)
        .filter(([status, { content }]) => Number(status) >= 400 && content?.['application/json']?.examples)
        .map(([status, response]) => ({ id, status, response })),
    );
    expect(failures.length).toBeGreaterThan(300);
    for (const { id, status, response } of failures) {
      expect(Object.keys(response.headers ?? {}), `${id} ${status}`).toContain('x-request-id');
      if (status === '429') expect(Object.keys(response.headers ?? {}), id).toContain('retry-after');
    }
    const batch = operations.find(({ id }) => id === 'readPostStatsBatch');
    for (const status of ['200', '429']) {
      const headers = Object.keys(batch?.responses[status]?.headers ?? {});
      expect(headers).toEqual(expect.arrayContaining(['ratelimit', 'ratelimit-policy']));
    }
  });

  it('holds the catalogue of events', () => {
    expect(Object.keys(served.webhooks ?? {})).toEqual(Object.keys(WEBHOOK_BODIES));
  });

  it('says which role a route needs', () => {
    for (const route of routes.filter(({ access, dialect }) => access === 'admin' && dialect === undefined)) {
      const operation = served.paths?.[route.path]?.[route.method.toLowerCase() as 'get'];
      expect(operation?.description, route.id).toContain('Role: `admin`.');
    }
  });
});
