/** Colours with enough contrast for small text, light and dark. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'md',
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#50565e',
    '--mantine-color-placeholder': '#61676f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#2f44ad',
  },
  dark: {
    '--mantine-color-dimmed': '#b4b8bf',
    '--mantine-color-placeholder': '#a4a9b0',
    '--mantine-color-error': '#ff9c94',
    '--mantine-color-anchor': '#a9b8ff',
  },
});
