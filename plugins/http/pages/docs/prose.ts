/** The little Markdown that descriptions use: paragraphs, `code`, **bold** and fenced code. */
import { escapeHtml, Html } from '../html.ts';

const FENCE = /```\w*\n([\s\S]*?)```/g;

/** Paragraphs and code blocks. */
export function prose(text: string): Html {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(FENCE)) {
    parts.push(
      paragraphs(text.slice(end, match.index)),
      `<pre tabindex="0"><code>${escapeHtml(match[1] ?? '')}</code></pre>`,
    );
    end = match.index + match[0].length;
  }
  parts.push(paragraphs(text.slice(end)));
  return new Html(parts.join(''));
}

/** One line: no paragraphs. */
export function inline(text: string): Html {
  return new Html(
    escapeHtml(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );
}

function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${inline(paragraph.trim()).markup}</p>\n`)
    .join('');
}
