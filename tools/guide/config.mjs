/** VitePress's settings; the build copies this file beside the pages. */
import { defineConfig } from 'vitepress';
import { PAGES } from '../../pages.mjs';

export default defineConfig({
  title: 'Credence',
  description: 'Verifies social engagement and web data.',
  lang: 'en',
  // Licences and sources are in the repository and in the package, but are no pages.
  ignoreDeadLinks: [/\/(?:LICENSE|GPL-3\.0\.txt)$/],
  // The sources' own settings are not for the site.
  vite: { esbuild: { tsconfigRaw: '{}' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/docs/quick-start' },
      { text: 'Reference', link: '/docs/api' },
    ],
    sidebar: PAGES.map(({ text, items }) => ({
      text,
      items: items.map((page) => ({ text: page.text, link: `/${page.path.replace(/(?:index)?\.md$/, '')}` })),
    })),
  },
});
