/** Contrast of colours, as WCAG 2 defines it. */

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

/** What WCAG AA asks of text of a usual size. */
export const READABLE = 4.5;

const MIX_STEPS = 20;

/** The contrast of two colours, `#rrggbb` each: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(rgbOf(one)), luminance(rgbOf(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white, whichever is easier to read on a colour. One of them always has a contrast of at least 4.58. */
export function textOn(background: string): string {
  return contrast(background, '#000000') > contrast(background, '#ffffff') ? '#000000' : '#ffffff';
}

/** The colour itself if it can be read on the background; otherwise the nearest mix with black or white that can be. */
export function readableOn(background: string, color: string): string {
  const from = rgbOf(color);
  const to = rgbOf(textOn(background));
  for (let step = 0; step < MIX_STEPS; step += 1) {
    const mixed = hexOf(from.map((value, channel) => value + (((to[channel] ?? 0) - value) * step) / MIX_STEPS));
    if (contrast(background, mixed) >= READABLE) return mixed;
  }
  return hexOf(to);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function hexOf(rgb: readonly number[]): string {
  return `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}
