/** The `errors` of a GraphQL answer: what they say, and whether the data beside them can be used. */
import { asDigits, asText, field, isObject, type JsonObject } from '../scraping/index.ts';

/** One error, in lower case. */
export interface GraphqlError {
  /** Its message and its description. */
  readonly words: readonly string[];
  /** Its numbers, as digits. */
  readonly codes: readonly string[];
}

const MOST_ERRORS = 20;
const WORDS = ['message', 'description', 'summary', 'error_type', 'type'];
const CODES = ['code', 'api_error_code', 'error_code', 'error'];

export function graphqlErrorsOf(body: JsonObject): readonly GraphqlError[] {
  return listOf(body).map((error) => {
    const places = [error, field(error, 'extensions')];
    const values = (names: readonly string[]) => places.flatMap((place) => names.map((name) => field(place, name)));
    return {
      words: values(WORDS).flatMap((value) => asText(value, 500)?.trim().toLowerCase() ?? []),
      codes: values(CODES).flatMap((value) => asDigits(value) ?? []),
    };
  });
}

/**
 * Returns true if the data is whole, so that the errors beside it are only warnings. A field that an error names by its path is
 * missing if it is empty. An error without a path may be about any empty field.
 */
export function isWhole(body: JsonObject): boolean {
  const { data } = body;
  if (!isObject(data)) return false;
  const fields = Object.values(data);
  const isFilled = fields.length > 0 && fields.every((value) => value !== null && value !== undefined);
  return listOf(body).every((error) => {
    const path = field(error, 'path');
    if (isPath(path)) return (field(data, ...path) ?? null) !== null || isBeside(path, fields);
    return isFilled && asText(field(error, 'severity'), 50)?.toUpperCase() !== 'CRITICAL';
  });
}

/** An error about one field of the data as a whole, where others are filled: it is not needed to read those. */
function isBeside(path: readonly unknown[], fields: readonly unknown[]): boolean {
  return path.length === 1 && fields.some((value) => value !== null && value !== undefined);
}

function isPath(path: unknown): path is readonly (string | number)[] {
  return (
    Array.isArray(path) &&
    path.length > 0 &&
    path.length <= 64 &&
    path.every((step) => typeof step === 'string' || typeof step === 'number')
  );
}

function listOf({ errors }: JsonObject): readonly unknown[] {
  return Array.isArray(errors) ? errors.slice(0, MOST_ERRORS) : [];
}
