/** Writes the types of the configuration from its schema, so that each option is described once. */
import { z } from 'zod';
import { doc as docLines } from './client-writer.ts';

type Schema = z.core.$ZodType;

/** What an entry says with `.meta()`. */
interface About {
  readonly description?: string;
  /** What an object, or a choice of objects, is called. */
  readonly typeName?: string;
  /** The type of what is checked by a function. */
  readonly type?: string;
  /** Another form that a host may write. */
  readonly orType?: string;
}

const HEAD = `/** The configuration as a host writes it, written by \`npm run generate:client\`. Do not edit: change the schema instead. */
import type { OfficialInstagramOptions } from '../../adapters/instagram/index.ts';
import type { ScrapingTransport, SendRequest } from '../../adapters/scraping/index.ts';
import type { OfficialTikTokOptions, SignRequest } from '../../adapters/tiktok/index.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { JobQueueAdapter, NotaryAdapter } from '../../core/ports/adapter-values.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { ConfiguredValues } from './configured-values.ts';
`;

const aboutOf = (schema: Schema): About => z.globalRegistry.get(schema) ?? {};

export function configTypes(schema: z.ZodObject): string {
  const declared = new Map<string, string>();

  function typeOf(schema: Schema, indent = ''): string {
    const { typeName, orType } = aboutOf(schema);
    const type = typeName === undefined ? plainType(schema, indent) : named(schema, typeName);
    return orType === undefined ? type : `${type} | ${orType}`;
  }

  function named(schema: Schema, name: string): string {
    const start = schema instanceof z.ZodObject ? `interface ${name}` : `type ${name} =`;
    const end = schema instanceof z.ZodObject ? '' : ';';
    declared.set(name, `${doc(textOf(schema), '')}export ${start} ${plainType(schema, '')}${end}\n`);
    return name;
  }

  function plainType(schema: Schema, indent: string): string {
    const { type: given } = aboutOf(schema);
    const { type } = schema._zod.def;
    const inner = innerOf(schema);
    if (given !== undefined) return given;
    if (inner !== undefined) return typeOf(inner, indent);
    if (schema instanceof z.ZodObject) return `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`;
    if (schema instanceof z.ZodUnion)
      return [...new Set(schema.options.map((option) => typeOf(option, indent)))].join(' | ');
    if (schema instanceof z.ZodArray) return `readonly ${inParentheses(typeOf(schema.element, indent))}[]`;
    if (schema instanceof z.ZodEnum) return schema.options.map((option) => `'${option}'`).join(' | ');
    if (schema instanceof z.ZodLiteral) return `'${schema.value}'`;
    if (type !== 'custom') return type;
    throw new Error('The configuration has a value that is checked by a function: say its `type` with .meta().');
  }

  function fieldsOf({ shape }: z.ZodObject, indent: string): string {
    return Object.entries(shape as z.core.$ZodShape)
      .map(([name, field]) => {
        const isOptional = field._zod.optin !== undefined;
        const type = `${typeOf(field, indent)}${isOptional ? ' | undefined' : ''}`;
        return `${doc(textOf(field), indent)}${indent}readonly ${name}${isOptional ? '?' : ''}: ${type};\n`;
      })
      .join('');
  }

  const options = fieldsOf(schema, '  ');
  const config = `/** What \`createCredence\` takes. */\nexport interface CredenceConfig extends ConfiguredValues {\n${options}}\n`;
  return [HEAD, config, ...declared.values()].join('\n');
}

const inParentheses = (type: string): string => (type.includes(' ') ? `(${type})` : type);

/** What a default, a transformation and the like are around. */
function innerOf(schema: Schema): Schema | undefined {
  const { innerType, in: input } = schema._zod.def as { readonly innerType?: Schema; readonly in?: Schema };
  return innerType ?? input;
}

const doc = (text: string | undefined, indent: string): string =>
  docLines(text, indent)
    .map((line) => `${line}\n`)
    .join('');

/** The outermost description, and the default. The host words switches as `on` and `off`. */
function textOf(field: Schema): string | undefined {
  let text: string | undefined;
  let fallback: unknown;
  for (let schema: Schema | undefined = field; schema !== undefined; schema = innerOf(schema)) {
    text ??= aboutOf(schema).description;
    if (schema instanceof z.ZodDefault) fallback ??= schema.def.defaultValue;
    if (schema instanceof z.ZodBoolean) text = text?.replace(/^on:/, '`true`:').replace(/^off:/, '`false`:');
  }
  return fallback === undefined ? text : `${text}\n@default ${JSON.stringify(fallback)}`;
}
