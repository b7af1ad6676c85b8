/**
 * Dotted paths to JSON values: `user.email`, `items[0].secret`, `items.0.secret`, `items.*.secret`. A backslash takes the
 * next character as it is (`a\.b`). A path covers everything below it. An array may be passed through: `items.secret` is the
 * `secret` of every element.
 */

/** A step of a path as the caller wrote it. `index` when it was in brackets, `any` for an unescaped `*`. */
export type PathSegment =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'any' };

export type JsonPath = readonly PathSegment[];

const MAX_SEGMENTS = 64;
const BRACKETED = /^\[(\*|0|[1-9]\d{0,8})\]/;
/** `items[]`, `items[-1]`, `items[0:2]`, `items[?a]`, `["a"]`. */
const FOREIGN_BRACKET = /^\[(?:[\]"'`?:-]|\d{1,9}:)/;

/**
 * Null for an empty path, an empty segment, a lone backslash at the end, more than 64 segments, and the brackets of other
 * path languages. Those would hide nothing, unnoticed, if taken for a part of the name.
 */
export function parseJsonPath(text: string): JsonPath | null {
  const segments: PathSegment[] = [];
  let at = 0;
  let expectSegment = true;
  while (at < text.length) {
    const bracketed = bracketAt(text, at, BRACKETED);
    if (bracketed !== null) {
      const [whole, index] = bracketed;
      segments.push(index === '*' ? { kind: 'any' } : { kind: 'index', index: Number(index) });
      at += whole.length;
    } else {
      if (!expectSegment) return null;
      const part = readName(text, at);
      if (part === null) return null;
      segments.push(part.segment);
      at = part.next;
    }
    expectSegment = false;
    if (text[at] === '.') {
      expectSegment = true;
      at += 1;
    }
  }
  return segments.length > MAX_SEGMENTS || expectSegment ? null : segments;
}

/** What `pattern` finds at `at`. Few characters are brackets: for others, nothing is cut out of the text. */
function bracketAt(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  return text[at] === '[' ? pattern.exec(text.slice(at, at + 12)) : null;
}

function readName(text: string, start: number): { segment: PathSegment; next: number } | null {
  let name = '';
  let at = start;
  let escaped = false;
  while (at < text.length && text[at] !== '.' && bracketAt(text, at, BRACKETED) === null) {
    if (bracketAt(text, at, FOREIGN_BRACKET) !== null) return null;
    if (text[at] === '\\') {
      escaped = true;
      at += 1;
      if (at === text.length) return null;
    }
    name += text[at];
    at += 1;
  }
  if (name === '') return null;
  return { segment: name === '*' && !escaped ? { kind: 'any' } : { kind: 'name', name }, next: at };
}

/**
 * How doubts are settled. A denylist is `wide`. An unescaped path also means a name with dots in it (`a.b` hides the
 * member `"a.b"` too). An index also means a member, and a leading `$` means the document and a member. An allowlist is `narrow`: where a path could mean two things it shows only the plainer one.
 */
export type PathReading = 'wide' | 'narrow';

/** Which paths lead how far to the value at hand; walk a document by deriving the matcher of each child. */
export interface PathMatcher {
  /** The value at hand, and with it everything below it, is covered. */
  readonly covered: boolean;
  member(name: string): PathMatcher;
  element(index: number): PathMatcher;
}

interface Position {
  readonly path: JsonPath;
  readonly at: number;
}

const COVERED: PathMatcher = { covered: true, member: () => COVERED, element: () => COVERED };

/**
 * The matcher of a document's root.
 * @param reached is given every path that leads to a value, once the walk has come there.
 */
export function matchPaths(paths: readonly JsonPath[], reading: PathReading, reached?: Set<JsonPath>): PathMatcher {
  const starts = paths.flatMap((path) => {
    const [first] = path;
    const fromRoot = reading === 'wide' && first?.kind === 'name' && first.name === '$';
    return fromRoot
      ? [
          { path, at: 0 },
          { path, at: 1 },
        ]
      : [{ path, at: 0 }];
  });
  return matcherAt(starts, false, { reading, reached });
}

interface Walk {
  readonly reading: PathReading;
  readonly reached: Set<JsonPath> | undefined;
}

/** @param inherited a value above is covered, and so is this one; the other paths are still followed. */
function matcherAt(all: readonly Position[], inherited: boolean, walk: Walk): PathMatcher {
  const { reading, reached } = walk;
  const ended = all.filter(({ path, at }) => at === path.length);
  for (const { path } of ended) reached?.add(path);
  const covered = inherited || ended.length > 0;
  const positions = covered && reached === undefined ? [] : all.filter(({ path, at }) => at < path.length);
  if (covered && positions.length === 0) return COVERED;
  // Documents repeat the same names many times, so what a name leads to is kept. Elements differ only where a path says which
  // one it means; an index that none says stands for the others.
  const children = new Map<string | number, PathMatcher>();
  const passesAll = positions.every(({ path, at }) => passesEveryElement(path[at]));
  const meant = new Set(positions.map(({ path, at }) => indexOf(path[at])));
  const child = (key: string | number, after: (position: Position) => Position[]) => {
    const known = children.get(key);
    if (known !== undefined) return known;
    const found = matcherAt(distinct(positions.flatMap(after)), covered, walk);
    children.set(key, found);
    return found;
  };
  const matcher: PathMatcher = {
    covered,
    member: (name) => child(name, (position) => afterMember(position, name, reading)),
    element(index) {
      if (passesAll) return matcher;
      const which = meant.has(index) ? index : ANY_OTHER;
      return child(which, (position) => afterElement(position, which, reading));
    },
  };
  return matcher;
}

/** Wildcards over nested arrays reach the same position in many ways; kept once, the work stays linear. */
function distinct(positions: readonly Position[]): readonly Position[] {
  if (positions.length < 2) return positions;
  const seen = new Map<JsonPath, Set<number>>();
  return positions.filter(({ path, at }) => {
    const taken = seen.get(path) ?? new Set();
    seen.set(path, taken);
    return !taken.has(at) && taken.add(at);
  });
}

function passesEveryElement(segment: PathSegment | undefined): boolean {
  return segment?.kind === 'name' && asIndex(segment.name) === null;
}

function afterMember({ path, at }: Position, name: string, reading: PathReading): Position[] {
  const segment = path[at];
  if (segment === undefined || segment.kind === 'index') return [];
  if (segment.kind === 'any') return [{ path, at: at + 1 }];
  const found: Position[] = segment.name === name ? [{ path, at: at + 1 }] : [];
  if (reading === 'narrow') return found;
  // `a.b` may have been meant for the one name "a.b".
  let joined = segment.name;
  for (let next = at + 1; next < path.length && name.startsWith(joined) && joined.length < name.length; next++) {
    const further = path[next];
    if (further?.kind !== 'name') break;
    joined += `.${further.name}`;
    if (joined === name) found.push({ path, at: next + 1 });
  }
  return found;
}

function afterElement({ path, at }: Position, index: number, reading: PathReading): Position[] {
  const segment = path[at];
  if (segment === undefined) return [];
  const passed: Position = { path, at };
  const consumed: Position = { path, at: at + 1 };
  if (passesEveryElement(segment)) return [passed];
  const fits = segment.kind === 'any' || indexOf(segment) === index;
  if (reading === 'narrow') return fits ? [consumed] : [];
  // An explicit index says which element is meant; everything else may also be meant for the elements' own members.
  if (segment.kind === 'index') return fits ? [consumed] : [];
  return fits ? [passed, consumed] : [passed];
}

/** An index that no path says. */
const ANY_OTHER = -1;

function indexOf(segment: PathSegment | undefined): number | null {
  if (segment?.kind === 'index') return segment.index;
  return segment?.kind === 'name' ? asIndex(segment.name) : null;
}

/** How many segments of a path may be passed or taken by one element: wildcards, and names that are numbers. */
export function countWildcards(path: JsonPath): number {
  return path.filter((segment) => segment.kind === 'any' || (segment.kind === 'name' && indexOf(segment) !== null))
    .length;
}

function asIndex(name: string): number | null {
  return /^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : null;
}
