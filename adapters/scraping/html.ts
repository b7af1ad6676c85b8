/** Finding embedded JSON in a page without parsing the page: one pass, no backtracking. */

const MAX_SCRIPTS = 2_000;

/** A script element of a page. */
interface EmbeddedScript {
  /** The text between `<script` and `>`. */
  readonly attributes: string;
  readonly content: string;
}

/** Every script element of the page, in order; a last one that is not closed is left out. */
export function* embeddedScripts(html: string): Generator<EmbeddedScript> {
  let position = 0;
  for (let count = 0; count < MAX_SCRIPTS; count += 1) {
    const start = html.indexOf('<script', position);
    if (start === -1) return;
    const open = html.indexOf('>', start);
    if (open === -1) return;
    const end = html.indexOf('</script', open);
    if (end === -1) return;
    yield { attributes: html.slice(start + 7, open), content: html.slice(open + 1, end) };
    position = end + 8;
  }
}

/** What is in the first script element with this id; null without one. Reads no further. */
export function scriptWithId(html: string, id: string): string | null {
  for (const { attributes, content } of embeddedScripts(html)) {
    if (attributes.includes(`id="${id}"`) || attributes.includes(`id='${id}'`)) return content;
  }
  return null;
}
