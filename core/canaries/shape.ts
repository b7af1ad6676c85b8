/** The shape of a reading: which of its fields have a value. */
import type { CommentPage, PlatformProfile, PostDetails } from '../ports/platform.ts';

/** Says how a platform was read, not what it showed. */
const WITHOUT: ReadonlySet<string> = new Set(['source']);

/** The fields of a profile that have a value, sorted. */
export function shapeOfProfile(profile: PlatformProfile): string[] {
  return sorted(presentFields(profile));
}

/**
 * The fields of a post and of the first page of its comments, sorted. A field of comments counts if any comment has it, and
 * `comments.unskipped` if every entry of the page could be read.
 */
export function shapeOfPost(details: PostDetails, page: CommentPage): string[] {
  const { comments, skipped = 0, expectedTotal } = page;
  return sorted([
    ...presentFields(details),
    ...comments.flatMap((comment) => presentFields(comment).map((field) => `comments.${field}`)),
    ...(typeof expectedTotal === 'number' ? ['comments.total'] : []),
    ...(skipped === 0 ? ['comments.unskipped'] : []),
  ]);
}

/** Dotted names of what is neither null nor empty. An empty text or list is what a platform sends of a field it has dropped. */
function presentFields(value: object, above = ''): string[] {
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const path = `${above}${name}`;
    if (WITHOUT.has(path) || field === null || field === undefined || field === '') return [];
    if (Array.isArray(field)) return field.length === 0 ? [] : [path];
    return typeof field === 'object' && !(field instanceof Date) ? presentFields(field, `${path}.`) : [path];
  });
}

function sorted(fields: readonly string[]): string[] {
  return [...new Set(fields)].sort();
}
