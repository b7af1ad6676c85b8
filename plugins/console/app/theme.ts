/** Colours with enough contrast for small text, light and dark. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core';

const NAMED_CLOSE = { 'aria-label': 'Close' };

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  // Above it, black is easier to read than white.
  luminanceThreshold: 0.179,
  cursorType: 'pointer',
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    // The page has one banner; the head of a dialog is none.
    Modal: { defaultProps: { closeButtonProps: NAMED_CLOSE, attributes: { header: { role: 'presentation' } } } },
    Notification: { defaultProps: { closeButtonProps: NAMED_CLOSE } },
  },
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
