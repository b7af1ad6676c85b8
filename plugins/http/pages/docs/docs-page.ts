/**
 * The documentation page: the OpenAPI document as one server-rendered page. No scripts, nothing loaded from anywhere, so it
 * works offline, under the strictest content security policy, and with the browser's own search.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '../../route.ts';
import { type Html, html, joined, wholePage } from '../html.ts';
import type { DocsDocument } from './document.ts';
import { type Entry, operationSection } from './operation-section.ts';
import { prose } from './prose.ts';
import { DOCS_STYLE } from './style.ts';

interface Group {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

/** Renders the document. A tag of the document is a section of the page, and is rendered in a turn of the event loop of its own. */
export async function docsPage(document: DocsDocument): Promise<Reply> {
  const groups = groupsOf(document);
  const sections: Html[] = [];
  for (const group of groups) {
    await nextTurn();
    sections.push(section(document, group));
  }
  const { title, version, description = '' } = document.info;
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<div class="layout">
<nav aria-label="Operations">
<h2><a href="#content">${title}</a></h2>
${joined(groups.map(navigation))}
</nav>
<main id="content">
<h1>${title} <small>${version}</small></h1>
${prose(description)}
<p>For machines: <a href="openapi.json">openapi.json</a>.</p>
${joined(sections)}
</main>
</div>`;
  return wholePage(200, `${title} API`, body, DOCS_STYLE);
}

function navigation({ id, name, entries }: Group): Html {
  return html`<h2><a href="#${id}">${name}</a></h2>
<ul>
${joined(entries.map((entry) => html`<li><a href="#${entry.id}">${entry.operation.summary ?? entry.id}</a></li>`))}
</ul>`;
}

function section(document: DocsDocument, { id, name, description, entries }: Group): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}"><a href="#${id}">${name}</a></h2>
${prose(description)}
${joined(entries.map((entry) => operationSection(document, entry)))}
</section>`;
}

function groupsOf(document: DocsDocument): Group[] {
  const entries = [...entriesOf(document.paths ?? {}, null), ...entriesOf(document.webhooks ?? {}, 'EVENT')];
  return (document.tags ?? []).map(({ name, description = '' }) => ({
    id: `tag-${slug(name)}`,
    name,
    description,
    entries: entries.filter(({ operation }) => operation.tags?.includes(name)),
  }));
}

function entriesOf(items: NonNullable<DocsDocument['paths']>, fixedMethod: string | null): Entry[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId ?? `${(fixedMethod ?? method).toLowerCase()}-${slug(path)}`,
      method: fixedMethod ?? method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
