/** The look of the connect page in the colour of its brand. */
import { type Stylesheet, stylesheet } from '../html.ts';
import { type ConnectBrand, imageSource } from './brand.ts';
import { readableOn, textOn } from './colors.ts';

/** What the pages of one instance share. */
export interface ConnectLook {
  readonly brand: ConnectBrand | null;
  /** Of a page that has nothing to do. */
  readonly still: Stylesheet;
  /** Of a page that loads the script. */
  readonly scripted: Stylesheet;
}

const DEFAULT_COLOR = '#1257c9';
const LIGHT_PAGE = '#ffffff';
const DARK_PAGE = '#101418';

/** Makes the style sheets: text, links and buttons have a contrast of at least 4.5 with any colour, in light and in dark. */
export function connectLook(brand: ConnectBrand | undefined): ConnectLook {
  const css = styleIn(brand?.color ?? DEFAULT_COLOR);
  const images = brand?.logoUrl === undefined ? [] : [`img-src ${imageSource(brand.logoUrl)}`];
  return {
    brand: brand ?? null,
    still: stylesheet(css, images),
    scripted: stylesheet(css, ["script-src 'self'", "connect-src 'self'", ...images]),
  };
}

function styleIn(color: string): string {
  return `:root{color-scheme:light dark;--page:${LIGHT_PAGE};--text:#1b1f24;--soft:#57606a;--line:#8c959f;--panel:#f5f7f9;--accent:${readableOn(LIGHT_PAGE, color)}}
@media (prefers-color-scheme:dark){:root{--page:${DARK_PAGE};--text:#e4e8ec;--soft:#9aa5b1;--line:#6b7785;--panel:#181e24;--accent:${readableOn(DARK_PAGE, color)}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:36rem;padding:1.5rem 1.25rem 3rem;font:1rem/1.6 system-ui,sans-serif;color:var(--text);background:var(--page);overflow-wrap:anywhere}
header{display:flex;align-items:center;gap:.75rem;font-weight:600;padding-bottom:1rem;border-bottom:1px solid var(--line)}header img{max-height:3rem;max-width:10rem}
h1{font-size:1.5rem;line-height:1.25;margin:1.5rem 0 1rem}
.code{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.2em .4em;background:var(--panel);border:1px solid var(--line);border-radius:.3em;user-select:all}.code code{font-size:1.15em;padding:.45em .6em}
label{display:block;font-weight:600;margin-bottom:.25rem}
input{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:.4rem;padding:.6rem;width:100%}::placeholder{color:var(--soft);opacity:1}
button,.go{display:inline-block;font:inherit;font-weight:600;min-height:2.75rem;padding:.6rem 1.2rem;border:1px solid var(--accent);border-radius:.4rem;cursor:pointer;text-decoration:none}
button[type=submit],.go{margin-top:1rem;background:${color};color:${textOn(color)}}button[type=button]{background:var(--page);color:var(--accent);padding:.4rem .9rem}
button[aria-disabled=true]{cursor:progress}[hidden]{display:none}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}h1:focus{outline:0}
.status,details{margin:1rem 0}summary{cursor:pointer}.notice{border-left:.3rem solid var(--accent);background:var(--panel);padding:.5rem 1rem}small,.status{color:var(--soft)}.status:empty{display:none}`;
}
