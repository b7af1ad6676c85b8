/** The look: one type scale, one colour of its own, and enough contrast for small text, light and dark. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const NAMED_CLOSE = { 'aria-label': 'Close' };

const SEAL: MantineColorsTuple = [
  '#e5f6f3',
  '#cdece6',
  '#9ad9cd',
  '#64c5b3',
  '#3bb49e',
  '#1fa48d',
  '#0f8a77',
  '#0a6f60',
  '#07584d',
  '#04413a',
];

export const theme = createTheme({
  primaryColor: 'seal',
  colors: { seal: SEAL },
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  // Above it, black is easier to read than white.
  luminanceThreshold: 0.179,
  cursorType: 'pointer',
  fontFamily: 'Inter, system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.375rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.5rem', lineHeight: '1.25' },
      h3: { fontSize: '1.125rem', lineHeight: '1.35' },
      h4: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    // The page has one banner; the head of a dialog is none.
    Modal: {
      defaultProps: {
        closeButtonProps: NAMED_CLOSE,
        attributes: { header: { role: 'presentation' } },
        // The second click of a double click falls beside the dialog that the first one opened.
        closeOnClickOutside: false,
      },
      styles: { title: { fontWeight: 650, fontSize: '1rem' } },
    },
    // Neither red nor yellow can be read well.
    Alert: { styles: { label: { color: 'var(--mantine-color-text)' } } },
    Notification: {
      defaultProps: { closeButtonProps: NAMED_CLOSE, withBorder: true },
      styles: { description: { color: 'var(--mantine-color-text)' } },
    },
    Select: { defaultProps: { allowDeselect: false } },
    Paper: { defaultProps: { radius: 'lg' } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#50565e',
    '--mantine-color-placeholder': '#61676f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#0a6f60',
    '--page': '#f5f7f7',
    '--line': '#e1e6e6',
    '--chosen': '#e5f6f3',
    '--chosen-ink': '#07584d',
  },
  dark: {
    '--mantine-color-dimmed': '#b4b8bf',
    '--mantine-color-placeholder': '#a4a9b0',
    '--mantine-color-error': '#ff9c94',
    '--mantine-color-anchor': '#7ed6c6',
    '--page': '#17191b',
    '--line': '#3a3f44',
    '--chosen': '#12352f',
    '--chosen-ink': '#9ad9cd',
  },
});
