/** Writes TypeScript of what an OpenAPI document says: the schemas, and the operations with their input and their results. */

import type { Described, Found, Schema } from '../hosts/cli/operations.ts';

/** What asks for a page of a list. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['page', 'limit', 'cursor']);

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
  #mayHaveMore({ responses }: Described): boolean {
    return Object.entries(responses).some(([status, { content }]) => {
      const schema = content?.['application/json']?.schema;
      if (!status.startsWith('2') || schema === undefined) return false;
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
  #input(fields: readonly Field[], indent: string): string {
    const time = this.#time;
    if (this.#isInProcess) this.#time = 'Date | string';
    const type = this.#objectOf(fields, indent);
    this.#time = time;
    return type;
  }

  #page(item: string): string {
    return this.#isInProcess ? `Promise<ListPage<${item}>>` : `Paged<${item}>`;
  }

  #doc({ row }: Found, indent: string): string[] {
    const codes = Object.entries(row.responses).flatMap(([, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map((name) => name.slice(name.indexOf('.') + 1)),
    );
    const named = codes.filter((code) => !USUAL_CODES.has(code)).map((code) => `\`${code}\``);
    const thrown = this.#isInProcess && named.length > 0 ? `@throws DomainError ${named.join(', ')}` : undefined;
    const parts = [`${row.summary}.`, row.description, thrown];
    return doc(parts.filter((text) => text !== undefined).join('\n\n'), indent);
  }

  /** Two signatures: with a `limit` a page, without one the whole list. */
  #wholeMethod(
    found: Found & { readonly name: string },
    fields: readonly Field[],
    item: string,
    indent: string,
  ): string[] {
    const own = fields.filter(({ name }) => !PAGE_FIELDS.has(name));
    const withLimit = fields.map((field) => (field.name === 'limit' ? { ...field, isRequired: true } : field));
    const isOptional = own.every(({ isRequired }) => !isRequired);
    const whole = `input${isOptional ? '?' : ''}: ${this.#input(own, indent)}`;
    const all = this.#isInProcess ? `Promise<readonly ${item}[]>` : `Whole<${item}>`;
    return [
      ...this.#doc(found, indent),
      `${indent}${found.name}(input: ${this.#input(withLimit, indent)}, options?: CallOptions): ${this.#page(item)};`,
      `${indent}${found.name}(${whole}, options?: CallOptions): ${all};`,
    ];
  }

  body({ requestBody }: Described): string {
    return this.#typeOf(requestBody?.content?.['application/json']?.schema ?? {}, '  ');
  }

  method(found: Found & { readonly name: string }): string[] {
    const indent = '    ';
    const fields = this.#inputOf(found);
    const answers = answersOf(found);
    const [first] = answers;
    const items = first && this.#resolve(first).properties?.data?.items;
    if (this.#isWhole(found) && items !== undefined)
      return this.#wholeMethod(found, fields, this.#typeOf(items, indent), indent);
    const result =
      isPaged(found) && items !== undefined
        ? this.#page(this.#typeOf(items, indent))
        : `Promise<${[...new Set(answers.map((schema) => this.#resultOf(schema, found)))].join(' | ') || 'void'}>`;
    const isOptional = fields.every(({ isRequired }) => !isRequired);
    const input = fields.length === 0 ? '' : `input${isOptional ? '?' : ''}: ${this.#input(fields, indent)}, `;
    const skipped = fields.length === 0 ? 'input?: Readonly<Record<string, never>>, ' : input;
    return [...this.#doc(found, indent), `${indent}${found.name}(${skipped}options?: CallOptions): ${result};`];
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
      ...(this.#mayHaveMore(row) && !isPaged(found) ? ['mayHaveMore: true'] : []),
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
