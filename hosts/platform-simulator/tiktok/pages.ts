/** TikTok's HTML: the shell with its embedded data, and the pages shown instead of it. */
import { html, type SiteAnswer, scriptJson } from '../messages.ts';

/** Cookies that every page hands out; the comment API wants to see them again. */
const PAGE_COOKIES = [
  'ttwid=1%7Csimulated%7C1780000000; Path=/; Max-Age=31536000; HttpOnly',
  'tt_chain_token=c2ltdWxhdGVk; Path=/; HttpOnly',
  'msToken=simulated-token; Path=/; Max-Age=864000',
];

/** A page whose `__DEFAULT_SCOPE__` is `scope`. */
export function rehydrationPage(scope: Readonly<Record<string, unknown>>): SiteAnswer {
  const data = { __DEFAULT_SCOPE__: scope };
  return page(`<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${scriptJson(data)}</script>`);
}

/** A page that a good visitor gets now and then: no data in it. */
export function pageWithoutData(): SiteAnswer {
  return page('<script>window.__captcha_sdk = { captcha: true };</script>');
}

export function embedPage(path: string, userInfo: unknown): SiteAnswer {
  const data = { source: { data: { [path]: { userInfo } } } };
  return page(`<script id="__FRONTITY_CONNECT_STATE__" type="application/json">${scriptJson(data)}</script>`);
}

export function captchaPage(): SiteAnswer {
  return html(
    '<!DOCTYPE html><html><head><title>Verify</title><script src="https://media.example/secsdk-captcha.js"></script></head>' +
      '<body><div class="captcha_verify_img_slide"></div></body></html>',
  );
}

function page(content: string): SiteAnswer {
  return html(
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>TikTok - Make Your Day</title></head><body><div id="app"></div>\n${content}\n</body></html>\n`,
    { 'set-cookie': PAGE_COOKIES },
  );
}
