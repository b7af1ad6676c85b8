/** Schemas that several routes share. */
import { z } from 'zod';
import type { ZodOpenApiMetadata } from 'zod-openapi';
import type { PlatformRegistry } from '../../core/platforms/registry.ts';

/** Digits on the wire, an integer in the OpenAPI document. */
function documentedAsInteger(keywords: Readonly<Record<string, number>>): ZodOpenApiMetadata {
  return {
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: 'integer', ...keywords });
    },
  };
}

const NO_ID = 'must be a positive integer';

/** An id in a path: digits only, so that "", "1e3" and "0x1" are refused, within the safe integers. */
export const idParam = z
  // It can be missing in a call in process, which gives numbers.
  .string(`is missing; it ${NO_ID}`)
  .regex(/^[1-9][0-9]{0,14}$/, NO_ID)
  .transform(Number)
  .meta(documentedAsInteger({ minimum: 1 }));

export const positiveId = z.int().min(1);

const keepable = <T extends z.ZodString | z.ZodURL>(text: T) =>
  text
    // biome's noControlCharactersInRegex is met by naming the class instead of writing the characters.
    .refine((value) => !/[\p{Cc}]/u.test(value.replace(/[\t\n\r]/g, '')), 'must not contain control characters')
    // Storages write every lone surrogate alike: two different texts would become one.
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

const textOf = (min: number, max: number) => keepable(z.string().trim().min(min).max(max));

/** Text without NUL and other control characters except tab and newlines; at least one visible character. */
export const text = (max: number) => textOf(1, max);

/** The customer's own identifier of a creator. It is theirs, so that nothing of it is changed, blanks at its ends neither. */
export const externalIdText = (description: string) =>
  keepable(z.string().min(1).max(200))
    .refine((value) => value.trim() !== '', 'must not be blank')
    .meta({
      description: `${description} Kept and compared as it is, with any blanks; at least one visible character.`,
    });

/** As `text`, or nothing: null and text without a visible character are the same. */
export const optionalText = (max: number) =>
  textOf(0, max)
    .transform((value) => value || null)
    .nullish();

/** Resolvers ask for no name that is longer, or that has an empty label. */
const MAX_HOST_NAME = 253;

function hasUsableHost(url: string): boolean {
  const host = (URL.parse(url)?.hostname ?? '').replace(/\.$/, '');
  return host.length <= MAX_HOST_NAME && !host.split('.').includes('');
}

const MAX_URL = 2048;

/** What no URI has (RFC 3986, section 2). */
const NOT_OF_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu;

/** A URL that is no URI gets its normal form, with what that still leaves percent-encoded. Every other one stays as it is. */
function asUri(text: string): string {
  const url = text.search(NOT_OF_URI) === -1 ? null : URL.parse(text);
  return url === null ? text : url.href.replace(NOT_OF_URI, encodeURIComponent);
}

/** `https://example.com/ü` is accepted, and is `https://example.com/%C3%BC` from then on. */
export const httpUrl = keepable(z.url({ protocol: /^https?$/, abort: true }).max(MAX_URL))
  .refine(hasUsableHost, 'must have a host name of at most 253 characters without empty labels')
  .overwrite(asUri)
  .refine(({ length }) => length <= MAX_URL, `must have at most ${MAX_URL} characters, percent-encoded`)
  .meta({ format: 'uri' });

/** A platform in a request: one of those that are registered. */
export const registeredPlatform = ({ names }: PlatformRegistry) => z.enum(names);

/**
 * A platform in a response. The document lists the registered ones; what was stored for one that is not registered any more is
 * still shown.
 */
export const platformName = z.string();

const integerWithin = (min: number, max: number) =>
  z
    .string()
    // One that is too large or negative is an integer all the same: it is told the limit.
    .regex(/^-?[0-9]{1,99}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .optional();

const integerText = (min: number, max: number, fallback: number) =>
  integerWithin(min, max)
    .transform((value) => value ?? fallback)
    .meta(documentedAsInteger({ minimum: min, maximum: max, default: fallback }));

const MAX_PAGE = 1_000_000;
const MAX_LIMIT = 100;
/** The longest holds a title of 200 characters. */
const cursorText = z.string().max(2_000).optional();

/** `page` and `limit` of a list; limit 20 by default, at most 100. `cursor` continues where a page ended. */
export const pageQuery = z.object({
  page: integerText(1, MAX_PAGE, 1),
  limit: integerText(1, MAX_LIMIT, 20),
  cursor: cursorText.meta({
    description:
      'For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then.',
    example: '',
  }),
});

/** As `pageQuery`, of a list that is answered whole if nothing of it is sent. */
export const partQuery = z.object({
  page: integerWithin(1, MAX_PAGE).meta({
    ...documentedAsInteger({ minimum: 1, maximum: MAX_PAGE }),
    description: 'Without `page`, `limit` and `cursor`, the answer is the whole list.',
  }),
  limit: integerWithin(1, MAX_LIMIT).meta({
    ...documentedAsInteger({ minimum: 1, maximum: MAX_LIMIT }),
    description: 'Items a page; 20 if only `page` or `cursor` is sent.',
  }),
  cursor: cursorText.meta({
    description:
      'Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before.',
    example: '',
  }),
});

export const integerQuery = integerText;

/** `true` or `false` in a query. */
export const flagQuery = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .optional()
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.enum;
      Object.assign(jsonSchema, { type: 'boolean' });
    },
  });

const NO_INSTANT = 'must be an ISO 8601 time with an offset, such as 2026-11-01T09:30:00Z';

/**
 * A time that a client names, with an offset; a `Date` from a caller in the same process. The year of its UTC form must have four
 * digits, or it could not be answered as a `timestamp`. The last of December 9999 west of Greenwich has five.
 */
export const instant = z
  .union([z.iso.datetime({ offset: true, error: NO_INSTANT }), z.date()], NO_INSTANT)
  .transform((value, context): Date => {
    const date = new Date(value);
    const year = date.getUTCFullYear();
    if (year >= 0 && year <= 9999) return date;
    context.addIssue({ code: 'custom', message: 'must be within the years 0000 to 9999 in UTC' });
    return z.NEVER;
  })
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });

/** A `Date` in the code, ISO 8601 text in UTC on the wire. */
export const timestamp = z
  .codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({
    description: 'ISO 8601, UTC',
    override: ({ jsonSchema }) => {
      Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });

export const pagination = z.object({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  nextCursor: z.string().nullable().optional().meta({
    description: 'Only if the request has a `cursor`: the one of the next page, null after the last one.',
  }),
});

/** `{ data }`, the wrapping of admin and campaign routes. */
export const dataOf = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** `{ data: [...] }`, and `pagination` if a page was asked for. */
export const listOf = <T extends z.ZodType>(schema: T) =>
  z.object({
    data: z.array(schema),
    pagination: pagination.optional().meta({ description: 'Only if the request has `page`, `limit` or `cursor`.' }),
  });

/** `{ data: [...], pagination }`. */
export const pageOf = <T extends z.ZodType>(schema: T) => z.object({ data: z.array(schema), pagination });

/** Of the author of a comment. */
export const authorId = z.string().nullable().meta({
  description: 'The platform’s number of the author’s account, which stays when the handle changes; null if not known.',
});
