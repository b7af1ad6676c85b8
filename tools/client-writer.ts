/** Writes TypeScript of what an OpenAPI document says: the schemas, and the operations with their input and their results. */

import type { Described, Found, Schema } from '../hosts/cli/operations.ts';

/** What asks for a page of a list. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['page', 'limit', 'cursor']);

const METHOD_INDENT = '    ';

/** How points in time are described, which a `Date` does not need. */
const IN_JSON = 'ISO 8601, UTC';

/** Fields that only say that a call succeeded. */
const ENVELOPE = new Set(['apiVersion', 'success']);

/** Codes that nearly every operation has. */
const USUAL_CODES = new Set([
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'QUOTA_EXCEEDED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
  'INTERNAL_ERROR',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]);

/** Writes types of schemas, and of operations. Remembers which named schemas they refer to. */
export class Writer {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #used = new Set<string>();
  /** Results that have no schema of their own, by the names that they get. */
  readonly #results = new Map<string, string>();
  /** The type of points in time. */
  #time: 'string' | 'Date' | 'Date | string';
  readonly #isInProcess: boolean;
  /** The choices of a field that names a platform. */
  readonly #platforms: string;

  /** For clients, or for callers in the process of an instance: they get a `Date`, and whole lists and pages as they are. */
  constructor(schemas: Readonly<Record<string, Schema>>, caller: 'client' | 'in-process') {
    this.#schemas = schemas;
    this.#isInProcess = caller === 'in-process';
    this.#time = this.#isInProcess ? 'Date' : 'string';
    this.#platforms = String(schemas.Challenge?.properties?.platform?.enum);
  }

  #resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : this.#resolve(this.#schemas[nameOf(schema.$ref)] ?? {});
  }

  #typeOf(schema: Schema, indent: string): string {
    if (schema.$ref !== undefined) {
      this.#used.add(nameOf(schema.$ref));
      return nameOf(schema.$ref);
    }
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum !== undefined)
      return String(schema.enum) === this.#platforms ? 'Platform' : schema.enum.map(literal).join(' | ');
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return [...new Set(options.map((option) => this.#typeOf(option, indent)))].join(' | ');
    if (Array.isArray(schema.type))
      return schema.type.map((type) => this.#typeOf({ ...schema, type }, indent)).join(' | ');
    if (schema.type === 'integer' || schema.type === 'number') return 'number';
    if (schema.type === 'string' && schema.format === 'date-time') return this.#time;
    if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
    if (schema.type === 'array') return `readonly ${this.#grouped(schema.items ?? {}, indent)}[]`;
    if (schema.properties !== undefined) return this.#objectOf(fieldsOf(schema), indent);
    const { additionalProperties } = schema;
    if (schema.type !== 'object' || additionalProperties === undefined) return 'unknown';
    const values = typeof additionalProperties === 'object' ? this.#typeOf(additionalProperties, indent) : 'unknown';
    return `Readonly<Record<string, ${values}>>`;
  }

  /** In parentheses unless it is one word or one object. */
  #grouped(schema: Schema, indent: string): string {
    const type = this.#typeOf(schema, indent);
    const isObject = schema.$ref === undefined && schema.properties !== undefined;
    return isObject || /^\w+$/.test(type) ? type : `(${type})`;
  }

  #objectOf(fields: readonly Field[], indent: string): string {
    if (fields.length === 0) return 'Readonly<Record<string, never>>';
    const inner = `${indent}  `;
    const lines = fields.flatMap(({ name, schema, isRequired }) => [
      ...doc(this.#isInProcess && schema.description === IN_JSON ? undefined : schema.description, inner),
      `${inner}readonly ${keyOf(name)}${isRequired ? '' : '?'}: ${this.#typeOf(schema, inner)}${isRequired ? '' : ' | undefined'};`,
    ]);
    return ['{', ...lines, `${indent}}`].join('\n');
  }

  /** `data` alone, or everything but the envelope if there is more. What has no name gets one. */
  #resultOf(schema: Schema, { row: { operationId } }: Found): string {
    const fields = fieldsOf(this.#resolve(schema)).filter(({ name }) => !ENVELOPE.has(name));
    const data = fields.find(({ name }) => name === 'data');
    const alone = data === undefined ? schema : fields.length === 1 ? data.schema : undefined;
    const type = alone === undefined ? this.#objectOf(fields, '') : this.#typeOf(alone, '');
    if (!type.startsWith('{')) return type;
    const name = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Result`;
    this.#results.set(name, `/** What \`${operationId}\` resolves to. */\nexport interface ${name} ${type}\n`);
    return name;
  }

  /** Whether an answer may have more than `data`, and need not: it is the whole one then, with or without. */
  #mayHaveMore(found: Found): boolean {
    return answersOf(found).some((schema) => {
      const fields = fieldsOf(this.#resolve(schema)).filter(({ name }) => !ENVELOPE.has(name));
      return fields.some(({ name }) => name === 'data') && fields.some(({ isRequired }) => !isRequired);
    });
  }

  #inputOf({ path, row }: Found): readonly Field[] {
    const parameters = (row.parameters ?? [])
      .filter((parameter) => parameter.in !== 'header')
      .map(({ name, schema, required = false }) => ({ name, schema, isRequired: required }));
    const body = row.requestBody?.content?.['application/json']?.schema;
    const fields = [...parameters, ...(body === undefined ? [] : fieldsOf(this.#resolve(body)))];
    const repeated = fields.find(({ name }, index) => fields.findIndex((other) => other.name === name) !== index);
    if (repeated !== undefined) throw new Error(`${path}: ${repeated.name} is in the path or query and in the body.`);
    return fields;
  }

  /** The answer has `pagination` only if a page is asked for. */
  #isWhole(found: Found): boolean {
    const mayLackPages = (answer: Schema) => this.#resolve(answer).required?.includes('pagination') !== true;
    return isPaged(found) && answersOf(found).every(mayLackPages);
  }

  /** The type of an input, in which a point in time may be text too. */
  #input(fields: readonly Field[]): string {
    const time = this.#time;
    if (this.#isInProcess) this.#time = 'Date | string';
    const type = this.#objectOf(fields, METHOD_INDENT);
    this.#time = time;
    return type;
  }

  #doc({ row }: Found): string[] {
    const codes = Object.entries(row.responses).flatMap(([, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map((name) => name.slice(name.indexOf('.') + 1)),
    );
    const named = codes.filter((code) => !USUAL_CODES.has(code)).map((code) => `\`${code}\``);
    const thrown = this.#isInProcess && named.length > 0 ? `@throws DomainError ${named.join(', ')}` : undefined;
    const parts = [`${row.summary}.`, row.description, thrown];
    return doc(parts.filter((text) => text !== undefined).join('\n\n'), METHOD_INDENT);
  }

  body({ requestBody }: Described): string {
    return this.#typeOf(requestBody?.content?.['application/json']?.schema ?? {}, '  ');
  }

  /** Lists that need no page have two signatures: with a `limit` a page, without one the whole list. */
  method(found: Found & { readonly name: string }): string[] {
    const fields = this.#inputOf(found);
    const answers = answersOf(found);
    const items = answers[0] && this.#resolve(answers[0]).properties?.data?.items;
    const signature = (given: readonly Field[], result: string) => {
      const isOptional = given.every(({ isRequired }) => !isRequired);
      const input = `input${isOptional ? '?' : ''}: ${this.#input(given)}`;
      return `${METHOD_INDENT}${found.name}(${input}, options?: CallOptions): ${result};`;
    };
    const comment = this.#doc(found);
    if (!isPaged(found) || items === undefined) {
      const results = new Set(answers.map((schema) => this.#resultOf(schema, found)));
      return [...comment, signature(fields, `Promise<${[...results].join(' | ') || 'void'}>`)];
    }
    const item = this.#typeOf(items, METHOD_INDENT);
    const [page, all] = this.#isInProcess
      ? [`Promise<ListPage<${item}>>`, `Promise<readonly ${item}[]>`]
      : [`Paged<${item}>`, `Whole<${item}>`];
    if (!this.#isWhole(found)) return [...comment, signature(fields, page)];
    const withLimit = fields.map((field) => (field.name === 'limit' ? { ...field, isRequired: true } : field));
    const own = fields.filter(({ name }) => !PAGE_FIELDS.has(name));
    return [...comment, signature(withLimit, page), signature(own, all)];
  }

  descriptor(found: Found): string {
    const { method, path, row } = found;
    const query = (row.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => `'${name}'`);
    const parts = [
      `method: '${method}'`,
      `path: '${path}'`,
      ...(query.length === 0 ? [] : [`query: [${query.join(', ')}]`]),
      ...(row.requestBody === undefined ? [] : ['hasBody: true']),
      ...(isPaged(found) ? ['isPaged: true'] : []),
      ...(this.#isWhole(found) ? ['isWhole: true'] : []),
      ...(this.#mayHaveMore(found) && !isPaged(found) ? ['mayHaveMore: true'] : []),
    ];
    return `{ ${parts.join(', ')} }`;
  }

  /** The schemas that operations refer to, and those that they refer to. */
  schemas(): string[] {
    const texts = new Map<string, string[]>();
    for (let known = -1; known !== texts.size; ) {
      known = texts.size;
      for (const name of this.#used) {
        const schema = this.#schemas[name] ?? {};
        const type = this.#typeOf(schema, '');
        const isInterface = type.startsWith('{');
        const declared = isInterface ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
        texts.set(name, [...doc(schema.description ?? `\`${name}\` of the API.`, ''), declared, '']);
      }
    }
    for (const [name, text] of this.#results) texts.set(name, [text]);
    return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, text]) => text);
  }
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);

const fieldsOf = (schema: Schema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: schema.required?.includes(name) === true,
  }));

const answersOf = ({ row }: Found) =>
  Object.entries(row.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);

const isPaged = ({ row: { parameters = [] } }: Found) =>
  ['cursor', 'page'].every((name) => parameters.some((parameter) => parameter.name === name));

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/** The lines of a comment; none without a text. */
export function doc(text: string | undefined, indent: string): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
