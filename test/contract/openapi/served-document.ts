/** The OpenAPI document as a client sees it: its operations, and validators for what they answer. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly {
    readonly in: 'path' | 'query' | 'header';
    readonly name: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
    readonly example?: unknown;
  }[];
  readonly body?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: Readonly<Record<string, MediaType>> }
    >
  >;
}

export interface ServedDocument {
  readonly operations: readonly Operation[];
  /** Follows `$ref` until there is none. */
  resolve(schema: JsonSchema): JsonSchema;
  /** The schema of a response's JSON, as a validator that refuses fields which are not in the document. */
  responseValidator(operation: Operation, status: string): ValidateFunction;
  /** The schema of a request's body. */
  bodyValidator(operation: Operation, mediaType: string): ValidateFunction;
}

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: Operation['parameters'];
  readonly requestBody?: Operation['body'];
  readonly responses: Operation['responses'];
}

interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export function readDocument(served: unknown): ServedDocument {
  const document = served as RawDocument;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document as object, 'openapi');
  ajv.addSchema(closed(document) as object, 'closed');
  /** By the schema: most refusals share one. */
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (name: 'openapi' | 'closed', ...steps: string[]): ValidateFunction => {
    const schema = steps.reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], document);
    const key = `${name} ${JSON.stringify(schema)}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = ajv.getSchema(`${name}#/${pointer}`);
    if (validate === undefined) throw new Error(`The document has no ${steps.join(' / ')}.`);
    compiled.set(key, validate as ValidateFunction);
    return validate as ValidateFunction;
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Operation => {
      const { operationId: id, security, parameters = [], requestBody, responses } = operation;
      const isPublic = security?.length === 0;
      return { id, method, path, isPublic, parameters, responses, ...(requestBody ? { body: requestBody } : {}) };
    }),
  );
  const resolve = (schema: JsonSchema): JsonSchema => {
    const name = schema.$ref?.replace('#/components/schemas/', '');
    if (name === undefined) return schema;
    const found = document.components.schemas[name];
    if (found === undefined) throw new Error(`The document refers to ${name}, which it does not have.`);
    return resolve(found);
  };
  return {
    operations,
    resolve,
    responseValidator: ({ path, method }, status) =>
      validatorAt('closed', 'paths', path, method, 'responses', status, 'content', 'application/json', 'schema'),
    bodyValidator: ({ path, method }, mediaType) =>
      validatorAt('openapi', 'paths', path, method, 'requestBody', 'content', mediaType, 'schema'),
  };
}

/** A copy in which no object has other fields than those named, unless it says so itself. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  const isOpenObject =
    copy.type === 'object' && typeof copy.properties === 'object' && !('additionalProperties' in copy);
  return isOpenObject ? { ...copy, additionalProperties: false } : copy;
}
