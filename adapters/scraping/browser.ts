/** The headers of a desktop browser that belong to its user agent. Platforms compare them with each other. */

/** Chrome of November 2026 on Windows. */
export const DEFAULT_USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36';

const LANGUAGES = 'en-US,en;q=0.9';

/** What goes with every request: the user agent, its client hints and the languages. English, so that texts can be read. */
export function browserHeaders(userAgent: string): Readonly<Record<string, string>> {
  return { 'user-agent': userAgent, 'accept-language': LANGUAGES, ...clientHints(userAgent) };
}

/** A page opened by typing its address. */
export const NAVIGATION_HEADERS: Readonly<Record<string, string>> = {
  accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
  priority: 'u=0, i',
};

/** A request of a page's own script to its own site. */
export const SCRIPT_HEADERS: Readonly<Record<string, string>> = {
  accept: '*/*',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  priority: 'u=1, i',
};

/** The low-entropy client hints of Chromium browsers; none for others, which send none. */
function clientHints(userAgent: string): Readonly<Record<string, string>> {
  const version = /\bChrome\/(\d{1,4})\./.exec(userAgent)?.[1];
  if (version === undefined) return {};
  return {
    'sec-ch-ua': brands(userAgent, version),
    'sec-ch-ua-mobile': /\bMobile\b/.test(userAgent) ? '?1' : '?0',
    'sec-ch-ua-platform': `"${platformOf(userAgent)}"`,
  };
}

const GREASE_MARKS = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
const GREASE_VERSIONS = ['8', '99', '24'];
/** Where the made-up brand, Chromium and the product stand, by version. */
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/** Chromium's own rule: order and made-up brand follow from the major version. */
function brands(userAgent: string, version: string): string {
  const seed = Number(version);
  const mark = (offset: number): string => GREASE_MARKS[(seed + offset) % GREASE_MARKS.length] ?? ' ';
  const product = /\bEdg\//.test(userAgent) ? 'Microsoft Edge' : 'Google Chrome';
  const entries = [
    `"Not${mark(0)}A${mark(1)}Brand";v="${GREASE_VERSIONS[seed % GREASE_VERSIONS.length]}"`,
    `"Chromium";v="${version}"`,
    `"${product}";v="${version}"`,
  ];
  const order = ORDERS[seed % ORDERS.length] ?? ORDERS[0];
  const list: string[] = [];
  for (const [index, place] of order.entries()) list[place] = entries[index] ?? '';
  return list.join(', ');
}

function platformOf(userAgent: string): string {
  if (userAgent.includes('Android')) return 'Android';
  if (userAgent.includes('Macintosh')) return 'macOS';
  if (userAgent.includes('CrOS')) return 'Chrome OS';
  return userAgent.includes('Linux') ? 'Linux' : 'Windows';
}
