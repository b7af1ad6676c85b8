/** The look of the documentation page. */
import { stylesheet } from '../html.ts';

export const DOCS_STYLE =
  stylesheet(`:root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--page:#fff;--panel:#f5f7f9;--line:#d5dbe1;--accent:#1257c9;--get:#12674b;--post:#1257c9;--patch:#8a4b00;--delete:#b3261e;--event:#6b3fa0}
@media (prefers-color-scheme:dark){:root{--text:#e4e8ec;--soft:#9aa5b1;--page:#101418;--panel:#181e24;--line:#313a44;--accent:#8ab4f8;--get:#6fd3ae;--post:#8ab4f8;--patch:#f0b35f;--delete:#ff9a92;--event:#c9a6f5}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:1rem/1.6 system-ui,sans-serif;color:var(--text);background:var(--page)}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--page);padding:.5rem 1rem;z-index:1}
.layout{display:grid;grid-template-columns:19rem minmax(0,1fr);max-width:90rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow:auto;padding:1.5rem 1rem 3rem 1.25rem;border-right:1px solid var(--line);font-size:.875rem;line-height:1.4}
nav h2{font-size:.8rem;letter-spacing:.04em;color:var(--soft);margin:1.25rem .4rem .25rem}nav h2:first-child{margin-top:0}nav h2 a{color:inherit;text-decoration:none}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:block;padding:.2rem .4rem;border-radius:.3rem;color:inherit;text-decoration:none}nav li a:hover{background:var(--panel)}
main{padding:2rem clamp(1rem,4vw,3.5rem) 6rem;min-width:0}
h1{font-size:2rem;line-height:1.2;margin:0 0 1rem}h1 small{font-size:1rem;font-weight:400;color:var(--soft)}
main h2{font-size:1.5rem;margin:3.5rem 0 .5rem;padding-top:1.5rem;border-top:2px solid var(--line)}
h3{font-size:1.15rem;margin:0 0 .35rem}h3 a,main h2 a{color:inherit;text-decoration:none}h3 a:hover,main h2 a:hover{text-decoration:underline}
h4{font-size:1rem;margin:1.5rem 0 .4rem;font-weight:600}h4 small,caption,th small,td small{color:var(--soft);font-weight:400}
p{max-width:46rem;margin:.5rem 0}
article{margin:2.25rem 0 0;padding:1.5rem 0 0;border-top:1px solid var(--line)}
.call{max-width:none;background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.5rem .75rem;overflow-wrap:anywhere}
.method{font-weight:700;font-size:.85rem;margin-right:.4rem;color:var(--event)}.method.get{color:var(--get)}.method.post{color:var(--post)}.method.patch{color:var(--patch)}.method.delete{color:var(--delete)}
.status{font-variant-numeric:tabular-nums;color:var(--get)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.75rem 1rem;overflow:auto;max-height:28rem;max-width:60rem}pre code{font-size:.85rem}
table{border-collapse:collapse;width:100%;max-width:60rem;margin:.75rem 0;font-size:.9rem;table-layout:fixed}caption{text-align:left;padding:.25rem 0;font-size:.85rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
thead th{color:var(--soft);font-weight:600;font-size:.8rem}tbody th{font-weight:400}th:first-child{width:28%}th:nth-child(2){width:27%}.failures th:first-child{width:5rem}.failures th:nth-child(2){width:17rem}.parameters th:nth-child(2){width:5rem}.parameters th:nth-child(3){width:22%}
@media (max-width:56rem){.layout{display:block}nav{position:static;height:auto;max-height:35vh;border:0;border-bottom:1px solid var(--line)}}
@media (max-width:40rem){table,thead,tbody,tr,th,td,caption{display:block;width:auto!important}thead{position:absolute;left:-99rem}tr{padding:.5rem 0;border-bottom:1px solid var(--line)}th,td{padding:.1rem 0;border:0}td:empty{display:none}}
@media print{nav,.skip{display:none}.layout{display:block}pre{max-height:none}}`);
