/** Requests made from an operation of the document: as documented, and spoilt in one place. */
import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.ts';
import { placesIn, replacedAt } from '../../support/json-places.ts';
import type { Operation, ServedDocument } from './served-document.ts';
import { type KnownValues, valueFor } from './valid-values.ts';

export type Who = 'admin' | 'client' | 'creator' | 'nobody' | 'unknown';

export interface FuzzRequest {
  readonly who: Who;
  /** By placeholder; encoded when sent. */
  readonly path: Readonly<Record<string, string>>;
  /** Instead of encoding: already in the form of a path. */
  readonly rawPath?: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly contentType?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A request that the document allows; mostly by an admin. */
export function documentedRequest(
  document: ServedDocument,
  operation: Operation,
  known: KnownValues,
): fc.Arbitrary<FuzzRequest> {
  const value = (schema: Operation['parameters'][number]['schema'], name: string) =>
    valueFor(document, known, schema, name);
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const path = fc.record(
    Object.fromEntries(
      inPath.map(({ name, schema }) => [name, value(schema, name).map((drawn) => String(drawn) || '-')]),
    ),
  );
  const query = fc
    .record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, value(schema, name).map(String)])), {
      requiredKeys: inQuery.filter(({ required }) => required).map(({ name }) => name),
    })
    .map((drawn) => Object.entries(drawn as Record<string, string>));
  const who: fc.Arbitrary<Who> = fc.constantFrom('admin', 'admin', 'admin', 'admin', 'client', 'creator');
  return fc.record({ who, path, query, body: bodyOf(document, operation, known) }).map(({ body, ...request }) => ({
    ...request,
    path: request.path as Record<string, string>,
    ...(body === undefined ? {} : { body: JSON.stringify(body), contentType: 'application/json' }),
  }));
}

function bodyOf(document: ServedDocument, { body }: Operation, known: KnownValues): fc.Arbitrary<unknown> {
  const json = body?.content['application/json'];
  if (body === undefined || json === undefined) return fc.constant(undefined);
  const drawn = valueFor(document, known, json.schema);
  return body.required ? drawn : fc.option(drawn, { nil: undefined });
}

const JUNK_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', ' ', [], {}, [[]], 'x'.repeat(10_000)),
  fc.constantFrom<unknown>('\u0000', '\ud800', '__proto__', 'constructor', '%00', '\u202e', '🙂'.repeat(100), '1e3'),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const JUNK_PATH = ['0', '-1', '1e3', '0x1', '9'.repeat(30), '%00', '%FF', '%2F', '%20', 'null', '%F0%9F%99%82', '@'];

const JUNK_BODIES: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '{"__proto__":{"admin":true}}',
  '['.repeat(20_000) + ']'.repeat(20_000),
  `{"a":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`,
  Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d),
  Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
];

/** A documented request with one thing wrong. */
export function spoiltRequest(
  document: ServedDocument,
  operation: Operation,
  known: KnownValues,
): fc.Arbitrary<FuzzRequest> {
  const spoilers: ((request: FuzzRequest) => fc.Arbitrary<FuzzRequest>)[] = [
    (request) => fc.constantFrom<Who>('nobody', 'unknown').map((who) => ({ ...request, who })),
    (request) => fc.string({ unit: anyCharacter, maxLength: 30 }).map((name) => withQuery(request, name, 'x')),
  ];
  const placeholders = operation.parameters.filter((parameter) => parameter.in === 'path');
  if (placeholders.length > 0) {
    spoilers.push((request) =>
      fc
        .tuple(fc.constantFrom(...placeholders), fc.constantFrom(...JUNK_PATH, 'x'.repeat(3000)))
        .map(([{ name }, junk]) => ({ ...request, rawPath: { [name]: junk } })),
    );
  }
  const queries = operation.parameters.filter((parameter) => parameter.in === 'query');
  if (queries.length > 0) {
    spoilers.push(
      (request) => fc.constant({ ...request, query: [] }),
      (request) =>
        fc
          .tuple(fc.constantFrom(...queries), JUNK_VALUES)
          .map(([{ name }, junk]) => withQuery({ ...request, query: [] }, name, String(junk).slice(0, 4000))),
    );
  }
  if (operation.body !== undefined) {
    spoilers.push(
      (request) => fc.constantFrom(...JUNK_BODIES).map((body) => ({ ...request, body })),
      (request) =>
        fc.constantFrom('text/plain', 'application/xml', '').map((contentType) => ({ ...request, contentType })),
      (request) => fc.constant({ ...request, body: `"${'x'.repeat(70_000)}"`, contentType: 'application/json' }),
      withSpoiltField,
      withSpoiltField,
      withSpoiltField,
    );
  }
  const spoiler = fc.constantFrom(...spoilers);
  return fc
    .tuple(documentedRequest(document, operation, known), spoiler)
    .chain(([request, spoil]) => spoil({ ...request, who: 'admin' }));
}

function withQuery(request: FuzzRequest, name: string, value: string): FuzzRequest {
  return { ...request, query: [[name.toWellFormed(), value.toWellFormed()], ...request.query] };
}

/** One field of the body, however deep, replaced by junk or left out. */
function withSpoiltField(request: FuzzRequest): fc.Arbitrary<FuzzRequest> {
  const body: unknown = typeof request.body === 'string' ? JSON.parse(request.body) : {};
  const places = placesIn(body).filter((place) => place.length > 0);
  if (places.length === 0) return JUNK_VALUES.map((junk) => ({ ...request, body: JSON.stringify({ junk }) }));
  return fc.tuple(fc.constantFrom(...places), fc.option(JUNK_VALUES, { nil: undefined })).map(([place, junk]) => ({
    ...request,
    contentType: 'application/json',
    body: JSON.stringify(replacedAt(body, place, () => junk)),
  }));
}
