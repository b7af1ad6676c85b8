/** The brand of the connect page: whose name, logo and colour it shows. */
import { z } from 'zod';

/** About 48 KiB of an image; every page carries it. */
const MAX_LOGO_CHARACTERS = 65_536;

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Shown to people: no line breaks or other control characters. */
export const brandName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must not hold control characters');

export const brandLogoUrl = z
  .string()
  .max(MAX_LOGO_CHARACTERS)
  .refine(isImageUrl, 'must be an https URL of one file, or a base64 data URL of a PNG, JPEG, GIF, WebP or SVG image');

/** In the one form that the contrast is computed of. */
export const brandColor = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour such as #1257c9')
  .transform((text) => {
    const digits = text.slice(1).toLowerCase();
    return digits.length === 6 ? `#${digits}` : `#${digits.replaceAll(/./g, '$&$&')}`;
  });

/** The setting `connect.brand`. */
export const connectBrand = z
  .strictObject({
    name: brandName.meta({
      shown: 'plain',
      description: 'The name at the head of the connect page.',
    }),
    logoUrl: brandLogoUrl.optional().meta({
      shown: 'url',
      description: 'Its logo: an https URL of one file, or a base64 data URL of an image.',
    }),
    color: brandColor.optional().meta({
      shown: 'plain',
      description: 'Its colour for buttons and links, for example #1257c9.',
    }),
  })
  .meta({ typeName: 'ConnectBrandOptions', description: 'The brand of the connect page.' });

/** A checked brand. */
export type ConnectBrand = z.output<typeof connectBrand>;

/** The source for `img-src` that allows this image and nothing else of its origin. */
export function imageSource(logoUrl: string): string {
  if (logoUrl.startsWith('data:')) return 'data:';
  const { origin, pathname } = new URL(logoUrl);
  // They would end the source or the directive.
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}

function isImageUrl(text: string): boolean {
  if (text.startsWith('data:')) return DATA_IMAGE.test(text);
  const url = URL.parse(text);
  // A path that ends with a slash would allow whatever is below it.
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && !url.pathname.endsWith('/');
}
