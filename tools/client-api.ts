/**
 * `npm run generate:client`: writes the types and the operations of `@credence/client` from the OpenAPI document. The file is not
 * committed: builds and checks write it, and tests do if the routes are newer.
 */
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = `${ROOT}plugins/client/api.ts`;
/** Nearly all that the document says. Builds and checks do not ask whether they have changed. */
const SOURCES = ['plugins/http/**/*.ts', 'plugins/compose/api.ts', 'core/errors.ts', 'tools/client-api.ts'];

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Found {
  readonly method: string;
  readonly path: string;
  readonly row: Described;
}

/** What asks for a page of a list. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['page', 'limit', 'cursor']);

/** What instances ask of each other: nothing for clients. */
const FOR_INSTANCES = new Set(['notary']);
/** Fields that only say that a call succeeded. */
const ENVELOPE = new Set(['apiVersion', 'success']);

const HEAD = `/**
 * Types and operations of the API, written by \`npm run generate:client\` from its OpenAPI document. Do not edit: change the route
 * table instead.
 */
import type { CallOptions, Operation, Paged, Whole } from './types.ts';
`;

/** Writes `plugins/client/api.ts`. In a process of its own, which resolves packages of this repository to their sources. */
export function writeClientApi(): void {
  const options = { cwd: ROOT, stdio: 'inherit' } as const;
  execFileSync(process.execPath, ['--conditions=credence-source', import.meta.filename], options);
}

/** Writes it if it is missing, or older than the routes. */
export function writeClientApiIfStale(): void {
  const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const written = changedAt(FILE);
  if (globSync(SOURCES, { cwd: ROOT }).some((path) => changedAt(`${ROOT}${path}`) > written)) writeClientApi();
}

async function clientApi(): Promise<string> {
  // Loaded late: most of the library, which others that import this module need not have.
  const { createDocument } = await import('../hosts/cli/operations.ts');
  const { OPERATIONS } = await import('../plugins/compose/api.ts');
  const { paths, webhooks, components } = (await createDocument()) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const rows = new Map<string, Found>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, row] of Object.entries(methods)) {
      rows.set(row.operationId, { method: method.toUpperCase(), path, row });
    }
  }
  const writer = createWriter(components.schemas);
  const groups: string[] = [];
  const table: string[] = [];
  for (const [group, names] of Object.entries(OPERATIONS)) {
    if (FOR_INSTANCES.has(group)) continue;
    const found = Object.entries(names).flatMap(([name, id]) => {
      const row = rows.get(id);
      // A callback is for a service that signs it, with a key that no client has.
      return row === undefined || row.row.security?.length === 0 ? [] : [{ name, ...row }];
    });
    groups.push(`  readonly ${group}: {`, ...found.flatMap((one) => writer.method(one)), '  };');
    table.push(`  ${group}: {`, ...found.map((one) => `    ${one.name}: ${writer.descriptor(one)},`), '  },');
  }
  const bodies = Object.entries(webhooks).map(([event, { post }]) => `  readonly '${event}': ${writer.body(post)};`);
  const errorCode = components.schemas.Error?.properties?.error?.properties?.code ?? {};
  return [
    HEAD,
    '/** Codes of refusals. */',
    `export type ErrorCode =${(errorCode.enum ?? []).map((code) => `\n  | '${String(code)}'`).join('')};`,
    '',
    '/** The name of a platform: each instance has its own. */',
    'export type Platform = string;',
    '',
    ...writer.schemas(),
    '/** The bodies of webhooks by the name of their event. */',
    'export interface WebhookBodies {',
    ...bodies,
    '}',
    '',
    '/** The operations of the API by resource. Each takes the fields of path, query and body in one object. */',
    'export interface ClientApi {',
    ...groups,
    '}',
    '',
    '/** @internal How each operation is sent. */',
    'export const OPERATIONS: { readonly [G in keyof ClientApi]: { readonly [N in keyof ClientApi[G]]: Operation } } = {',
    ...table,
    '};',
    '',
  ].join('\n');
}

function createWriter(schemas: Readonly<Record<string, Schema>>) {
  const used = new Set<string>();
  const platforms = String(schemas.Challenge?.properties?.platform?.enum);

  const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(schemas[nameOf(schema.$ref)] ?? {});

  function typeOf(schema: Schema, indent: string): string {
    if (schema.$ref !== undefined) {
      used.add(nameOf(schema.$ref));
      return nameOf(schema.$ref);
    }
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum !== undefined)
      return String(schema.enum) === platforms ? 'Platform' : schema.enum.map(literal).join(' | ');
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return [...new Set(options.map((option) => typeOf(option, indent)))].join(' | ');
    if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
    if (schema.type === 'integer' || schema.type === 'number') return 'number';
    if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
    if (schema.prefixItems !== undefined) {
      return `readonly [${schema.prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`;
    }
    if (schema.type === 'array') return `readonly ${grouped(schema.items ?? {}, indent)}[]`;
    if (schema.properties !== undefined) return objectOf(fieldsOf(schema), indent);
    const { additionalProperties } = schema;
    if (schema.type !== 'object' || additionalProperties === undefined) return 'unknown';
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Readonly<Record<string, ${values}>>`;
  }

  /** In parentheses unless it is one word or one object. */
  function grouped(schema: Schema, indent: string): string {
    const type = typeOf(schema, indent);
    const isObject = schema.$ref === undefined && schema.properties !== undefined;
    return isObject || /^\w+$/.test(type) ? type : `(${type})`;
  }

  const fieldsOf = (schema: Schema): Field[] =>
    Object.entries(schema.properties ?? {}).map(([name, field]) => ({
      name,
      schema: field,
      isRequired: schema.required?.includes(name) === true,
    }));

  function objectOf(fields: readonly Field[], indent: string): string {
    if (fields.length === 0) return 'Readonly<Record<string, never>>';
    const inner = `${indent}  `;
    const lines = fields.flatMap(({ name, schema, isRequired }) => [
      ...doc(schema.description, inner),
      `${inner}readonly ${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(schema, inner)}${isRequired ? '' : ' | undefined'};`,
    ]);
    return ['{', ...lines, `${indent}}`].join('\n');
  }

  /** `data` alone, or everything but the envelope if there is more. */
  function resultOf(schema: Schema, indent: string): string {
    const resolved = resolve(schema);
    const fields = fieldsOf(resolved);
    const data = fields.find(({ name }) => name === 'data');
    if (data === undefined) return typeOf(schema, indent);
    const kept = fields.filter(({ name }) => !ENVELOPE.has(name));
    return kept.length === 1 ? typeOf(data.schema, indent) : objectOf(kept, indent);
  }

  /** Whether an answer may have more than `data`, and need not: it is the whole one then, with or without. */
  function mayHaveMore({ responses }: Described): boolean {
    return Object.entries(responses).some(([status, { content }]) => {
      const schema = content?.['application/json']?.schema;
      if (!status.startsWith('2') || schema === undefined) return false;
      const fields = fieldsOf(resolve(schema)).filter(({ name }) => !ENVELOPE.has(name));
      return fields.some(({ name }) => name === 'data') && fields.some(({ isRequired }) => !isRequired);
    });
  }

  function inputOf({ path, row }: Found): readonly Field[] {
    const parameters = (row.parameters ?? [])
      .filter((parameter) => parameter.in !== 'header')
      .map(({ name, schema, required = false }) => ({ name, schema, isRequired: required }));
    const body = row.requestBody?.content?.['application/json']?.schema;
    const fields = [...parameters, ...(body === undefined ? [] : fieldsOf(resolve(body)))];
    const repeated = fields.find(({ name }, index) => fields.findIndex((other) => other.name === name) !== index);
    if (repeated !== undefined) throw new Error(`${path}: ${repeated.name} is in the path or query and in the body.`);
    return fields;
  }

  const answersOf = ({ row }: Found) =>
    Object.entries(row.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);

  const isPaged = ({ row }: Found) => (row.parameters ?? []).some(({ name }) => name === 'cursor') && pagesOf(row);
  /** The answer has `pagination` only if a page is asked for. */
  const isWhole = (found: Found) =>
    isPaged(found) && answersOf(found).every((answer) => resolve(answer).required?.includes('pagination') !== true);
  const pagesOf = (row: Described) => (row.parameters ?? []).some(({ name }) => name === 'page');

  const docOf = ({ row: { summary, description } }: Found, indent: string) =>
    doc([`${summary}.`, description].filter((text) => text !== undefined).join('\n\n'), indent);

  /** Two signatures: with a `limit` a page, without one the whole list. */
  function wholeMethod(
    found: Found & { readonly name: string },
    fields: readonly Field[],
    item: string,
    indent: string,
  ): string[] {
    const own = fields.filter(({ name }) => !PAGE_FIELDS.has(name));
    const withLimit = fields.map((field) => (field.name === 'limit' ? { ...field, isRequired: true } : field));
    const isOptional = own.every(({ isRequired }) => !isRequired);
    const whole = `input${isOptional ? '?' : ''}: ${objectOf(own, indent)}`;
    return [
      ...docOf(found, indent),
      `${indent}${found.name}(input: ${objectOf(withLimit, indent)}, options?: CallOptions): Paged<${item}>;`,
      `${indent}${found.name}(${whole}, options?: CallOptions): Whole<${item}>;`,
    ];
  }

  return {
    body: ({ requestBody }: Described): string =>
      typeOf(requestBody?.content?.['application/json']?.schema ?? {}, '  '),

    method(found: Found & { readonly name: string }): string[] {
      const indent = '    ';
      const fields = inputOf(found);
      const answers = answersOf(found);
      const [first] = answers;
      const items = first && resolve(first).properties?.data?.items;
      if (isWhole(found) && items !== undefined) return wholeMethod(found, fields, typeOf(items, indent), indent);
      const result =
        isPaged(found) && items !== undefined
          ? `Paged<${typeOf(items, indent)}>`
          : `Promise<${[...new Set(answers.map((schema) => resultOf(schema, indent)))].join(' | ') || 'void'}>`;
      const isOptional = fields.every(({ isRequired }) => !isRequired);
      const input = fields.length === 0 ? '' : `input${isOptional ? '?' : ''}: ${objectOf(fields, indent)}, `;
      const skipped = fields.length === 0 ? 'input?: Readonly<Record<string, never>>, ' : input;
      return [...docOf(found, indent), `${indent}${found.name}(${skipped}options?: CallOptions): ${result};`];
    },

    descriptor(found: Found): string {
      const { method, path, row } = found;
      const query = (row.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => `'${name}'`);
      const parts = [
        `method: '${method}'`,
        `path: '${path}'`,
        ...(query.length === 0 ? [] : [`query: [${query.join(', ')}]`]),
        ...(row.requestBody === undefined ? [] : ['hasBody: true']),
        ...(isPaged(found) ? ['isPaged: true'] : []),
        ...(isWhole(found) ? ['isWhole: true'] : []),
        ...(mayHaveMore(row) && !isPaged(found) ? ['mayHaveMore: true'] : []),
      ];
      return `{ ${parts.join(', ')} }`;
    },

    /** The schemas that operations refer to, and those that they refer to. */
    schemas(): string[] {
      const texts = new Map<string, string[]>();
      for (let known = -1; known !== texts.size; ) {
        known = texts.size;
        for (const name of used) {
          const schema = schemas[name] ?? {};
          const type = typeOf(schema, '');
          const isInterface = type.startsWith('{');
          const declared = isInterface ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
          texts.set(name, [...doc(schema.description ?? `\`${name}\` of the API.`, ''), declared, '']);
        }
      }
      return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, text]) => text);
    },
  };
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

function doc(text: string | undefined, indent: string): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

if (import.meta.main) await writeFile(FILE, await clientApi());
