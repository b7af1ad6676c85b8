/** The HTML of the simulated Instagram: data embedded the way the real pages embed it. */
import { html, type SiteAnswer, scriptJson } from '../messages.ts';

export const ROUTES = {
  post: 'comet.igweb.PolarisLoggedOutDesktopWWWPostRoute',
  profile: 'comet.igweb.PolarisLoggedOutDesktopWWWProfileRoute',
  home: 'comet.igweb.PolarisFeedRoute',
  error: 'comet.igweb.PolarisErrorRoute',
  login: 'comet.igweb.PolarisCAAIGLoginHomepageRoute',
} as const;

/** A page of the route with these results of preloaded queries. The status is 200 whatever happened. */
export function relayPage(route: string, results: readonly Readonly<Record<string, unknown>>[]): SiteAnswer {
  const scripts = [{ canonicalRouteName: route }, ...results.map(relayScript)];
  const tags = scripts.map((data) => `<script type="application/json" data-sjs>${scriptJson(data)}</script>`);
  const body = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Instagram</title>
<script>requireLazy([],function(){});["LSD",[],{"token":"AVqSimulated1"},323]</script>
<script>["DTSGInitialData",[],{"token":"NAcSimulatedDtsg:17:1"},258]</script>
</head><body>
${tags.join('\n')}
</body></html>`;
  return html(body, { 'set-cookie': ['csrftoken=simulatedcsrf0123456789; Path=/', 'mid=simulated; Path=/; HttpOnly'] });
}

function relayScript(data: Readonly<Record<string, unknown>>): unknown {
  const result = { __bbox: { result: { data } } };
  const stream = ['RelayPrefetchedStreamCache', 'next', [], ['adp_SimulatedRelayPreloader', result]];
  return { require: [['ScheduledServerJS', 'handle', null, [{ __bbox: { require: [stream] } }]]] };
}
