import { describe, expect, it } from 'vitest';
import { pkToShortcode, shortcodeToPk } from '../../../adapters/instagram/shortcode.ts';

describe('shortcode and number of a post', () => {
  it.each([
    ['DeAZ0uAgNuA', '3999310043081137024'],
    ['B', '1'],
    ['A', '0'],
    ['___________', '73786976294838206463'],
  ])('%s is %s', (shortcode, pk) => {
    expect(shortcodeToPk(shortcode)).toBe(pk);
    expect(pkToShortcode(pk)).toBe(shortcode);
  });

  it('takes the first eleven characters of a longer code', () => {
    expect(shortcodeToPk(`DeAZ0uAgNuA${'x'.repeat(28)}`)).toBe('3999310043081137024');
  });

  it('takes what stands before the key of an older code: ten characters, or fewer', () => {
    expect(shortcodeToPk(`BA_bcDeFgH${'k'.repeat(28)}`)).toBe(shortcodeToPk('BA_bcDeFgH'));
    expect(shortcodeToPk(`9-_AbCdEf${'k'.repeat(28)}`)).toBe(shortcodeToPk('9-_AbCdEf'));
    expect(shortcodeToPk(`DeAZ0uAgNuA${'k'.repeat(27)}`)).not.toBe(shortcodeToPk('DeAZ0uAgNuA'));
  });

  it('takes the first number of pk_userpk', () => {
    expect(pkToShortcode('3999310043081137024_787132')).toBe('DeAZ0uAgNuA');
  });

  it.each(['', 'a b', 'a+b', '../x', 'ä', 'A'.repeat(65)])('%j is no shortcode', (text) => {
    expect(shortcodeToPk(text)).toBeNull();
  });

  it.each(['', 'abc', '1_', '_1', '1.5', '-1', '73786976294838206464', '9'.repeat(40)])('%j is no number', (text) => {
    expect(pkToShortcode(text)).toBeNull();
  });
});
