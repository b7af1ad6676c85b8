/** The operations of the API as the command line knows them: read from the OpenAPI document, grouped as in process. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { OPERATIONS } from 'credence/host';
import { fileBeside } from '../../adapters/package-loader/file-beside.ts';

/** Written by the build beside the compiled command line; missing when the sources run. */
export const DOCUMENT_FILE = 'openapi.json';

export type FieldKind = 'text' | 'number' | 'flag' | 'texts' | 'json';

/** One field of a request: an option of a command, or a part of its path. */
export interface Field {
  /** Where it is in the request; for a body, the way to it in the object. */
  readonly path: readonly string[];
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string;
  readonly choices: readonly string[];
}

export interface Operation {
  readonly group: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly fields: readonly Field[];
  /** It answers a page of a list and takes `page` and `limit`. */
  readonly isPaged: boolean;
}

/** A schema of the document, as far as types and options are made of it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

type Schemas = Readonly<Record<string, Schema>>;

interface Content {
  readonly content?: Readonly<
    Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, unknown>> }>
  >;
}

export interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: Described }>>;
  readonly components?: { readonly schemas?: Schemas };
}

export interface Found {
  readonly method: string;
  readonly path: string;
  readonly row: Described;
}

let made: Promise<ApiDocument> | undefined;

/** Reads the document of this version: the file that the build wrote, else one made from the route table, once in a process. */
export async function readDocument(): Promise<ApiDocument> {
  try {
    return JSON.parse(await readFile(fileBeside(import.meta.url, DOCUMENT_FILE), 'utf8')) as ApiDocument;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    made ??= createDocument();
    return made;
  }
}

/** Makes the document of an instance with every service, as it would be served. */
export async function createDocument(): Promise<ApiDocument> {
  const [{ createCredence }, { fakeProver }] = await Promise.all([
    import('credence'),
    import('credence/adapters/fake-prover'),
  ]);
  const credence = createCredence({
    storage: 'sqlite::memory:',
    // Nothing is sealed: the instance is never started.
    secrets: { key: new Uint8Array(32) },
    services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
    zkProver: fakeProver(),
  });
  const response = await credence.fetch(new Request('http://localhost/openapi.json'));
  return (await response.json()) as ApiDocument;
}

/** The rows of a document by their ids. */
export function rowsOf({ paths }: ApiDocument): ReadonlyMap<string, Found> {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => ({ path, method: method.toUpperCase(), row })),
  );
  return new Map(rows.map((found) => [found.row.operationId, found]));
}

export function operationsOf(document: ApiDocument): Operation[] {
  const rows = rowsOf(document);
  const schemas = document.components?.schemas ?? {};
  return Object.entries(OPERATIONS).flatMap(([group, names]) =>
    Object.entries(names).flatMap(([name, id]) => {
      const found = rows.get(id);
      if (found === undefined) return [];
      const { path, method, row } = found;
      const parameters = (row.parameters ?? []).map(({ name: given, in: place, schema, required = false }) =>
        // Headers are the same in lower case, as options are written.
        fieldOf([place === 'header' ? given.toLowerCase() : given], place, schema, required, schemas),
      );
      const body = resolve(row.requestBody?.content?.['application/json']?.schema, schemas);
      const fields = [...parameters, ...(body === undefined ? [] : bodyFields(body, [], schemas))];
      const isPaged = ['page', 'limit'].every((wanted) => parameters.some(({ path: [known] }) => known === wanted));
      return [{ group, name, method, path, summary: row.summary, fields, isPaged }];
    }),
  );
}

/** The fields of an object. An object within it gives a field for each member: `challenge.postUrl`. */
function bodyFields(body: Schema, above: readonly string[], schemas: Schemas): Field[] {
  return Object.entries(body.properties ?? {}).flatMap(([name, given]) => {
    const schema = resolve(given, schemas) ?? given;
    const path = [...above, name];
    const isRequired = body.required?.includes(name) === true;
    if (above.length === 0 && schema.type === 'object' && schema.properties !== undefined) {
      return bodyFields(isRequired ? schema : { ...schema, required: [] }, path, schemas);
    }
    return [fieldOf(path, 'body', schema, isRequired, schemas)];
  });
}

function fieldOf(
  path: readonly string[],
  place: Field['place'],
  given: Schema,
  isRequired: boolean,
  schemas: Schemas,
): Field {
  const schema = resolve(given, schemas) ?? given;
  const known = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const fallback = schema.default === undefined ? '' : `default: ${JSON.stringify(schema.default)}`;
  return {
    path,
    place,
    kind: kindOf(resolve(known, schemas) ?? known, schemas),
    isRequired,
    description: [schema.description ?? '', fallback].filter((part) => part !== '').join(' '),
    choices: (known.enum ?? known.items?.enum ?? []).map(String),
  };
}

function kindOf(schema: Schema, schemas: Schemas): FieldKind {
  const [type] = [schema.type].flat().filter((each) => each !== 'null');
  if (type === 'string' || schema.enum !== undefined || type === undefined) {
    return schema.properties === undefined && schema.anyOf === undefined ? 'text' : 'json';
  }
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'flag';
  const items = resolve(schema.items, schemas);
  return type === 'array' && items?.type === 'string' ? 'texts' : 'json';
}

function resolve(schema: Schema | undefined, schemas: Schemas): Schema | undefined {
  return schema?.$ref === undefined ? schema : schemas[schema.$ref.slice('#/components/schemas/'.length)];
}

/** @throws Error when the API has no such operation: a mistake of this program */
export function operationNamed(operations: readonly Operation[], group: string, name: string): Operation {
  const found = operations.find((operation) => operation.group === group && operation.name === name);
  if (found === undefined) throw new Error(`The API has no operation ${group}.${name}.`);
  return found;
}

/** The command of a group of the API. @throws Error when there is none: a mistake of this program */
export function groupOf(program: Command, name: string): Command {
  const group = program.commands.find((command) => command.name() === name);
  if (group === undefined) throw new Error(`The API has no group ${name}.`);
  return group;
}
