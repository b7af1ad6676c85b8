/**
 * Finds the script elements of an HTML page as a browser finds them. What looks like one in an attribute, a comment or the
 * text of another element is none. Linear in the size of the page. HTML that could be read in two ways is refused.
 */
import { NoEvidence } from './no-evidence.ts';

/** Elements whose content is text up to their end tag. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript']);
const MAX_TAGS = 200_000;

const COMMENT = /<!--(?:-?>|[\s\S]*?--!?>)/y;
/** A doctype, a processing instruction, or an end tag without a name. */
const BOGUS_COMMENT = /<(?:!(?!--|\[CDATA\[)|\?|\/(?![A-Za-z]))[^>]*>/y;
const TAG_NAME = /<(\/?)([A-Za-z][^\s/>]*)/y;
const ATTRIBUTE = /[\s/]+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?/y;
const TAG_END = /[\s/]*>/y;

/**
 * The contents of the script elements that have all of these attributes with these values, in order.
 * @throws NoEvidence for HTML that is malformed or ambiguous
 */
export function scriptsWith(html: string, wanted: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  let at = html.indexOf('<');
  // Every `<` counts, also where it begins no tag.
  for (let tags = 0; at !== -1; tags += 1) {
    if (tags > MAX_TAGS) throw unreadable();
    const after = matchAt(COMMENT, html, at) ?? matchAt(BOGUS_COMMENT, html, at);
    if (after !== null) {
      at = html.indexOf('<', at + after[0].length);
      continue;
    }
    const tag = readTag(html, at);
    if (tag === null) {
      // A `<` that begins nothing is text; one that begins a comment or a section without an end is not.
      if (/^<[!/?A-Za-z]/.test(html.slice(at, at + 2))) throw unreadable();
      at = html.indexOf('<', at + 1);
      continue;
    }
    at = tag.end;
    if (!tag.closing && tag.name === 'plaintext') return found;
    if (!tag.closing && RAW_TEXT.has(tag.name)) {
      const end = endOfRawText(html, tag.end, tag.name);
      const content = html.slice(tag.end, end);
      if (tag.name === 'script') {
        if (isAmbiguousScript(content)) throw unreadable();
        if (hasAll(tag.attributes, wanted)) found.push(content);
      }
      at = end;
    }
    at = html.indexOf('<', at);
  }
  return found;
}

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly attributes: ReadonlyMap<string, string>;
  /** Behind its `>`. */
  readonly end: number;
}

/** Null when no tag begins here. */
function readTag(html: string, start: number): Tag | null {
  const head = matchAt(TAG_NAME, html, start);
  if (head === null) return null;
  const attributes = new Map<string, string>();
  let at = start + head[0].length;
  for (;;) {
    const end = matchAt(TAG_END, html, at);
    if (end !== null) {
      const name = (head[2] ?? '').toLowerCase();
      return { name, closing: head[1] === '/', attributes, end: at + end[0].length };
    }
    const attribute = matchAt(ATTRIBUTE, html, at);
    if (attribute === null) throw unreadable();
    const name = (attribute[1] ?? '').toLowerCase();
    // Of two of one name, browsers take the first.
    if (!attributes.has(name)) attributes.set(name, attribute[2] ?? attribute[3] ?? attribute[4] ?? '');
    at += attribute[0].length;
  }
}

function endOfRawText(html: string, start: number, name: string): number {
  const pattern = new RegExp(`</${name}[\\s/>]`, 'gi');
  pattern.lastIndex = start;
  const match = pattern.exec(html);
  if (match === null) throw unreadable();
  return match.index;
}

/** Behind `<!--` and `<script`, the next `</script>` does not end the element. */
function isAmbiguousScript(content: string): boolean {
  const comment = content.indexOf('<!--');
  return comment !== -1 && /<script/i.test(content.slice(comment));
}

function hasAll(attributes: ReadonlyMap<string, string>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => attributes.get(name) === value);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function unreadable(): NoEvidence {
  return new NoEvidence('its page is HTML that can be read in more than one way');
}
