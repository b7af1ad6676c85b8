/** The interactive documentation: a page around the reader's script, under a policy that lets nothing else run or load. */
import type { Reply } from '../../route.ts';
import { html, pageReply, wholeDocument } from '../html.ts';

/** Of https://scalar.com; whatever would call its makers is off. */
const SETTINGS = {
  agent: { disabled: true },
  // Greys, greens and reds that can be read on their backgrounds.
  customCss:
    '.light-mode{--scalar-color-2:#4a4a4a;--scalar-color-3:#5c5c5c;--scalar-color-green:#0a6b3d;--scalar-color-blue:#0b5394;--scalar-color-orange:#8a4b00;--scalar-color-yellow:#6f5500;--scalar-color-red:#b3261e}.dark-mode{--scalar-color-2:#c4c4c4;--scalar-color-3:#b0b0b0;--scalar-color-red:#ff8a80}',
  hideClientButton: true,
  // Operations show the shapes that they use.
  hideModels: true,
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
} as const;

/**
 * The page. Without the script it leads to the document itself.
 * @param script its URL, relative to the page; null if this installation has no reader
 * @param baseUrl where the API is reached: calls that a reader tries go there, and nowhere else
 */
export function readerPage(script: string | null, baseUrl: string): Reply {
  const toDocument = html`<p>The API is described in <a href="openapi.json">openapi.json</a>. Open it in any OpenAPI reader.</p>`;
  const reader = html`<noscript>${toDocument}</noscript>
<script id="api-reference" data-url="openapi.json" data-configuration="${JSON.stringify(SETTINGS)}"></script>
<script src="${script ?? ''}"></script>`;
  const page = wholeDocument('Credence API', html``, script === null ? toDocument : reader);
  // The reader writes its styles into the page; scripts are its own file only.
  const policy = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ${new URL(baseUrl).origin}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
  return pageReply(200, page, policy);
}
